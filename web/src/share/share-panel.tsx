import { useCallback, useEffect, useId, useState, type SyntheticEvent } from "react";
import type { Role } from "../../../src/core/rights/role.ts";
import {
  listPeople,
  setInherits,
  share,
  sharesOf,
  type Reader,
  type SharedThing,
  type Shares,
  type TeamPerson,
} from "../browser/people-api.ts";
import type { Answered } from "../browser/sign-in-api.ts";
import { useApp } from "../ui/app-context.ts";
import { RoleChoice, roleWords } from "./role-choice.tsx";

/** Does what the person asked, says what came of it, and reads again who can see the thing. */
type Change = (ask: Promise<Answered<unknown>>, done: string) => Promise<void>;

/** Who can see a document or a conversation, from where they have it, and for its owners giving and taking roles. */
export function SharePanel({ thing }: { readonly thing: SharedThing }) {
  const { announce, tell } = useApp();
  const { type, id } = thing;
  const [shares, setShares] = useState<Answered<Shares> | null>(null);
  const [people, setPeople] = useState<readonly TeamPerson[]>([]);
  const read = useCallback(async () => setShares(await sharesOf({ type, id })), [type, id]);
  useEffect(() => {
    void read();
    void listPeople().then((answer) => {
      if (answer.ok) setPeople(answer.value.people);
    });
  }, [read]);
  const change: Change = async (ask, done) => {
    const answer = await ask;
    if (answer.ok) announce(done);
    else tell(answer.message);
    await read();
  };
  return (
    <>
      {shares === null && <p className="quiet">Opening…</p>}
      {shares?.ok === false && <p role="alert">{shares.message}</p>}
      {shares?.ok === true && (
        <>
          <Readers thing={thing} shares={shares.value} change={change} />
          {shares.value.mayShare ? (
            <Giving thing={thing} shares={shares.value} people={people} change={change} />
          ) : (
            <p className="quiet">Only an owner shares it with others.</p>
          )}
        </>
      )}
    </>
  );
}

interface PartProps {
  readonly thing: SharedThing;
  readonly shares: Shares;
  readonly change: Change;
}

function Readers({ thing, shares, change }: PartProps) {
  return (
    <section className="setting" aria-labelledby="readers-heading">
      <h3 id="readers-heading">Who can see this</h3>
      <ul className="presets" aria-label="Who can see this">
        {shares.people.map((reader) => (
          <li key={reader.id} className="preset">
            <span>{reader.name}</span>
            <span className="quiet">{sourceWords(reader)}</span>
            {shares.mayShare && (
              <span className="preset-actions">
                <RoleChoice
                  label={`Role of ${reader.name} here`}
                  role={reader.given}
                  none="Nothing of its own"
                  onRole={(role) =>
                    void change(share(thing, { person: reader.id, role }), givenWords(reader.name, role))
                  }
                />
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Giving({ thing, shares, people, change }: PartProps & { readonly people: readonly TeamPerson[] }) {
  const [person, setPerson] = useState("");
  const [role, setRole] = useState<Role>("editor");
  const id = useId();
  const others = people.filter((each) => shares.people.every((reader) => reader.id !== each.id));
  const give = (event: SyntheticEvent): void => {
    event.preventDefault();
    const name = others.find((each) => each.id === person)?.name ?? "";
    void change(share(thing, { person, role }), givenWords(name, role)).then(() => setPerson(""));
  };
  return (
    <section className="setting" aria-labelledby="giving-heading">
      <h3 id="giving-heading">Share with others</h3>
      {others.length > 0 && (
        <form className="preset-form" aria-label="Share with a person" onSubmit={give}>
          <p className="preset-field">
            <label htmlFor={id}>Person</label>
            <select id={id} value={person} required onChange={(event) => setPerson(event.target.value)}>
              <option value="">Choose…</option>
              {others.map((each) => (
                <option key={each.id} value={each.id}>
                  {each.name}
                </option>
              ))}
            </select>
          </p>
          <p className="preset-field">
            <span aria-hidden="true">Role</span>
            <RoleChoice
              label="Role of the person"
              role={role}
              none="None"
              onRole={(next) => setRole(next ?? "viewer")}
            />
          </p>
          <div className="button-row end">
            <button type="submit" className="button small primary">
              Share
            </button>
          </div>
        </form>
      )}
      <p className="setting-field">
        <span aria-hidden="true">Everyone in the workspace</span>
        <RoleChoice
          label="Role of everyone in the workspace here"
          role={shares.everyone}
          none="Nothing of its own"
          without="owner"
          onRole={(next) => void change(share(thing, { person: null, role: next }), givenWords("Everyone", next))}
        />
      </p>
      <label>
        <input
          type="checkbox"
          checked={shares.inherits}
          onChange={({ target }) =>
            void change(
              setInherits(thing, target.checked),
              target.checked ? "Roles from above count here." : "Only the roles given here count.",
            )
          }
        />{" "}
        Who has a role on its folder or on the workspace has it here too
      </label>
    </section>
  );
}

const sources: Readonly<Record<string, string>> = {
  here: "given here",
  folder: "from its folder",
  conversation: "from the conversation above",
  workspace: "from the workspace",
};

function sourceWords({ role, from }: Reader): string {
  return `${roleWords[role]}, ${sources[from] ?? "from above"}`;
}

function givenWords(name: string, role: Role | null): string {
  return role === null
    ? `${name} has no role of its own here any more.`
    : `${name} is ${roleWords[role].toLowerCase()} here.`;
}
