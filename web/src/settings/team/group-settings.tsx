import { useCallback, useEffect, useId, useState, type SyntheticEvent } from "react";
import type { CommandAnswer, CommandName, CallParams } from "../../../../src/core/protocol/commands.ts";
import type { GroupId, PersonId } from "../../../../src/core/base/ids.ts";
import { useApp } from "../../ui/app-context.ts";
import { RemoveButton } from "../account/remove-button.tsx";
import { useFreshSignIn } from "../account/fresh-sign-in.tsx";

type Groups = CommandAnswer<"group.list">;
type People = CommandAnswer<"person.list">["people"];
/** Sends a command after a fresh sign-in where one is needed, and says what came of it. Resolves to whether it was done. */
type Send = <Name extends CommandName>(name: Name, params: CallParams<Name>, done: string) => Promise<boolean>;

/** The groups of the team; an owner makes, names, fills and removes them. */
export function GroupSettings() {
  const { client, announce } = useApp();
  const [problem, setProblem] = useState<string | null>(null);
  const [shown, setShown] = useState<Groups | null>(null);
  const [people, setPeople] = useState<People>([]);
  const read = useCallback(async () => {
    const [groups, everyone] = await Promise.all([client.call("group.list", {}), client.call("person.list", {})]);
    if (groups.ok) setShown(groups.value);
    if (everyone.ok) setPeople(everyone.value.people);
  }, [client]);
  useEffect(() => void read(), [read]);
  const { form, freshly } = useFreshSignIn();
  const send: Send = async (name, params, done) => {
    const answer = await freshly(async () => {
      const sent = await client.call(name, params);
      return sent.ok ? sent : { ok: false, message: sent.error.message, code: sent.error.code };
    });
    if (answer?.ok === true) announce(done);
    setProblem(answer?.ok === false ? answer.message : null);
    await read();
    return answer?.ok === true;
  };
  if (shown === null || (!shown.mayManage && shown.groups.length === 0)) return null;
  return (
    <section className="setting" aria-labelledby="groups-heading">
      <h3 id="groups-heading">Groups</h3>
      <p className="quiet">What is shared with a group is shared with each of its members.</p>
      {form}
      {problem !== null && (
        <p className="bad" role="alert">
          {problem}
        </p>
      )}
      {shown.groups.map((group) =>
        shown.mayManage ? (
          <Group key={group.groupId} group={group} people={people} send={send} />
        ) : (
          <p key={group.groupId}>
            {group.name}: <span className="quiet">{group.members.map(({ name }) => name).join(", ")}</span>
          </p>
        ),
      )}
      {shown.mayManage && <GroupForm send={send} />}
    </section>
  );
}

interface GroupProps {
  readonly group: Groups["groups"][number];
  readonly send: Send;
}

function Group({ group, people, send }: GroupProps & { readonly people: People }) {
  const { name, members } = group;
  const id = group.groupId as GroupId;
  const [typed, setTyped] = useState<string | null>(null);
  const others = people.filter((each) => members.every(({ personId }) => personId !== each.personId));
  const rename = (event: SyntheticEvent): void => {
    event.preventDefault();
    const wanted = typed?.trim() ?? "";
    void send("group.rename", { groupId: id, name: wanted }, `The group is called ${wanted} now.`).then((done) => {
      if (done) setTyped(null);
    });
  };
  return (
    <fieldset className="group" aria-label={`Group ${name}`}>
      <legend>{name}</legend>
      <Members group={group} send={send} />
      {typed !== null && (
        <form className="preset-form" aria-label={`Rename ${name}`} onSubmit={rename}>
          <input
            aria-label={`New name of ${name}`}
            value={typed}
            required
            autoFocus
            maxLength={60}
            onChange={(event) => setTyped(event.target.value)}
          />
          <div className="button-row end">
            <button type="button" className="button small" onClick={() => setTyped(null)}>
              Keep the name
            </button>
            <button type="submit" className="button small primary">
              Rename
            </button>
          </div>
        </form>
      )}
      <div className="button-row">
        {others.length > 0 && (
          <select
            aria-label={`Add somebody to ${name}`}
            value=""
            onChange={({ target: { value } }) => {
              const person = others.find(({ personId }) => personId === value);
              if (person === undefined) return;
              const personId = person.personId as PersonId;
              const done = `${person.name} is in ${name} now.`;
              void send("group.set-member", { groupId: id, personId, member: true }, done);
            }}
          >
            <option value="">Add somebody…</option>
            {others.map(({ personId, name: other }) => (
              <option key={personId} value={personId}>
                {other}
              </option>
            ))}
          </select>
        )}
        <button type="button" className="button small" aria-label={`Rename ${name}`} onClick={() => setTyped(name)}>
          Rename…
        </button>
        <RemoveGroup group={group} send={send} />
      </div>
    </fieldset>
  );
}

function Members({ group: { groupId, name, members }, send }: GroupProps) {
  if (members.length === 0) return <p className="quiet">Nobody is in it yet.</p>;
  const takeOut = (personId: string, member: string): Promise<boolean> =>
    send(
      "group.set-member",
      { groupId: groupId as GroupId, personId: personId as PersonId, member: false },
      `${member} is no member of ${name} any more.`,
    );
  return (
    <ul className="presets" aria-label={`Members of ${name}`}>
      {members.map((member) => (
        <li key={member.personId} className="preset">
          <span>{member.name}</span>
          <span className="preset-actions">
            <button
              type="button"
              className="button small"
              aria-label={`Take out ${member.name} of ${name}`}
              onClick={() => void takeOut(member.personId, member.name)}
            >
              Take out
            </button>
          </span>
        </li>
      ))}
    </ul>
  );
}

function RemoveGroup({ group: { groupId, name }, send }: GroupProps) {
  const done = `${name} is removed. What its members have otherwise stays.`;
  return (
    <RemoveButton
      label={`Remove the group ${name}`}
      now={`Remove ${name} now`}
      onRemove={() => void send("group.remove", { groupId: groupId as GroupId }, done)}
    />
  );
}

function GroupForm({ send }: { readonly send: Send }) {
  const [name, setName] = useState("");
  const id = useId();
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    void send("group.create", { name: name.trim() }, `The group ${name.trim()} is made.`).then((done) => {
      if (done) setName("");
    });
  };
  return (
    <form className="preset-form" aria-label="Make a group" onSubmit={submit}>
      <p className="preset-field">
        <label htmlFor={id}>Name of a new group</label>
        <input
          id={id}
          value={name}
          required
          maxLength={60}
          autoComplete="off"
          onChange={(event) => setName(event.target.value)}
        />
      </p>
      <div className="button-row end">
        <button type="submit" className="button small primary">
          Make a group
        </button>
      </div>
    </form>
  );
}
