import { useId, useState, type SyntheticEvent } from "react";
import type { CommandAnswer, CommandParams } from "../../../src/core/protocol/commands.ts";
import type { GroupId, PersonId, RootId } from "../../../src/core/base/ids.ts";
import type { Role } from "../../../src/core/rights/role.ts";
import { RoleChoice } from "./role-choice.tsx";
import { UnseenDocuments } from "./unseen-documents.tsx";

/** Who may be given a role. */
export interface Candidates {
  readonly people: CommandAnswer<"person.list">["people"];
  readonly groups: CommandAnswer<"group.list">["groups"];
}

/** Gives a person or a group a role. */
export function GivingForm(props: {
  readonly candidates: Candidates;
  /** The conversation that is shared, if it is one. */
  readonly rootId: RootId | null;
  readonly onGive: (to: CommandParams<"share.give">["to"], name: string, role: Role | null) => Promise<unknown>;
}) {
  const { people, groups } = props.candidates;
  const [chosen, setChosen] = useState("");
  const [role, setRole] = useState<Role>("editor");
  const id = useId();
  if (people.length + groups.length === 0) return null;
  const to = chosenOf(props.candidates, chosen);
  const give = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (to !== null) void props.onGive(to.subject, to.name, role).then(() => setChosen(""));
  };
  return (
    <form className="preset-form" aria-label="Share with a person or a group" onSubmit={give}>
      <p className="preset-field">
        <label htmlFor={id}>Person or group</label>
        <select id={id} value={chosen} required onChange={(event) => setChosen(event.target.value)}>
          <option value="">Choose…</option>
          {groups.length > 0 && (
            <optgroup label="Groups">
              {groups.map(({ groupId, name }) => (
                <option key={groupId} value={`group ${groupId}`}>
                  {name}
                </option>
              ))}
            </optgroup>
          )}
          {people.length > 0 && (
            <optgroup label="People">
              {people.map(({ personId, name }) => (
                <option key={personId} value={`person ${personId}`}>
                  {name}
                </option>
              ))}
            </optgroup>
          )}
        </select>
      </p>
      <p className="preset-field">
        <span aria-hidden="true">Role</span>
        <RoleChoice
          label="Role of the person or group"
          role={role}
          none="None"
          onRole={(next) => setRole(next ?? "viewer")}
        />
      </p>
      {to !== null && props.rootId !== null && <UnseenDocuments rootId={props.rootId} to={to.subject} name={to.name} />}
      <div className="button-row end">
        <button type="submit" className="button small primary">
          Share
        </button>
      </div>
    </form>
  );
}

/** Returns whom a value of the list means. */
function chosenOf({ people, groups }: Candidates, chosen: string) {
  const person = people.find(({ personId }) => chosen === `person ${personId}`);
  if (person !== undefined) {
    return { subject: { type: "person", id: person.personId as PersonId }, name: person.name } as const;
  }
  const group = groups.find(({ groupId }) => chosen === `group ${groupId}`);
  return group === undefined
    ? null
    : ({ subject: { type: "group", id: group.groupId as GroupId }, name: group.name } as const);
}
