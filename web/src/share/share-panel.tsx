import { useCallback, useEffect, useState } from "react";
import type { CommandAnswer, CommandParams } from "../../../src/core/protocol/commands.ts";
import type { Refusal } from "../../../src/core/base/errors.ts";
import type { Result } from "../../../src/core/base/result.ts";
import type { GroupId, PersonId } from "../../../src/core/base/ids.ts";
import type { Role } from "../../../src/core/rights/role.ts";
import { useApp } from "../ui/app-context.ts";
import { GivingForm, type Candidates } from "./giving-form.tsx";
import { LinkSection } from "./link-section.tsx";
import { RoleChoice, roleWords } from "./role-choice.tsx";
import { UnseenDocuments } from "./unseen-documents.tsx";

/** What is shared: a document, a conversation or a folder. */
export type SharedThing = CommandParams<"share.list">["on"];
export type Shares = CommandAnswer<"share.list">;
type Subject = CommandParams<"share.give">["to"];

/** Does what the person asked, says what came of it, and reads again who can see the thing. */
type Change = (ask: Promise<Result<unknown, Refusal>>, done: string) => Promise<boolean>;

/** Who can see a thing, from where they have it, and for its owners giving and taking roles. */
export function SharePanel({ thing }: { readonly thing: SharedThing }) {
  const { client, announce, showActivity } = useApp();
  const [problem, setProblem] = useState<string | null>(null);
  const [shares, setShares] = useState<Result<Shares, Refusal> | null>(null);
  const [others, setOthers] = useState<Candidates>({ people: [], groups: [] });
  const key = JSON.stringify(thing);
  const read = useCallback(async () => {
    setShares(await client.call("share.list", { on: JSON.parse(key) as SharedThing }));
  }, [client, key]);
  useEffect(() => {
    void read();
    void Promise.all([client.call("person.list", {}), client.call("group.list", {})]).then(([people, groups]) => {
      if (people.ok && groups.ok) setOthers({ people: people.value.people, groups: groups.value.groups });
    });
  }, [client, read]);
  const change: Change = async (ask, done) => {
    const answer = await ask;
    if (answer.ok) announce(done);
    setProblem(answer.ok ? null : answer.error.message);
    await read();
    return answer.ok;
  };
  const give = (to: Subject, name: string, role: Role | null): Promise<boolean> =>
    change(client.call("share.give", { on: thing, to, role }), givenWords(name, role));
  if (shares === null) return <p className="quiet">Opening…</p>;
  if (!shares.ok) return <p role="alert">{shares.error.message}</p>;
  const { value } = shares;
  return (
    <>
      {problem !== null && (
        <p className="bad" role="alert">
          {problem}
        </p>
      )}
      <Readers shares={value} give={give} />
      {value.mayShare ? (
        <Giving thing={thing} shares={value} candidates={without(others, value)} give={give} change={change} />
      ) : (
        <p className="quiet">Only an owner shares it with others.</p>
      )}
      {value.mayShare && thing.type !== "folder" && <LinkSection thing={thing} links={value.links} change={change} />}
      {value.mayShare && (thing.type === "document" || thing.type === "conversation") && (
        <div className="button-row">
          <button type="button" className="button" onClick={() => showActivity(thing)}>
            Show what was done to it…
          </button>
        </div>
      )}
    </>
  );
}

/** Gives and takes roles here, for its owners; of a conversation, also what agents quote in it. */
function Giving(props: {
  readonly thing: SharedThing;
  readonly shares: Shares;
  readonly candidates: Candidates;
  readonly give: (to: Subject, name: string, role: Role | null) => Promise<boolean>;
  readonly change: Change;
}) {
  const { client } = useApp();
  const { thing, shares, give, change } = props;
  const rootId = thing.type === "conversation" ? thing.id : null;
  return (
    <section className="setting" aria-labelledby="giving-heading">
      <h3 id="giving-heading">Share with others</h3>
      <GivingForm candidates={props.candidates} rootId={rootId} onGive={give} />
      <p className="setting-field">
        <span aria-hidden="true">Everyone in the workspace</span>
        <RoleChoice
          label="Role of everyone in the workspace here"
          role={shares.everyone}
          none="No extra role"
          without="owner"
          onRole={(role) => void give({ type: "everyone" }, "Everyone", role)}
        />
      </p>
      {rootId !== null && shares.everyone === null && (
        <UnseenDocuments rootId={rootId} to={{ type: "everyone" }} name="Everyone in the workspace" />
      )}
      <label>
        <input
          type="checkbox"
          checked={shares.inherits}
          onChange={({ target: { checked } }) =>
            void change(
              client.call("share.inherit", { on: thing, inherits: checked }),
              checked ? "Roles from above count here." : "Only the roles given here count.",
            )
          }
        />{" "}
        People with a role on its folder or on the workspace have it here too
      </label>
      {rootId !== null && (
        <label>
          <input
            type="checkbox"
            checked={shares.quoting === "readers"}
            onChange={({ target: { checked } }) =>
              void change(
                client.call("share.quoting", { rootId, by: checked ? "readers" : "askers" }),
                checked
                  ? "Agents read here only what everyone may read who can see this."
                  : "Agents read here what those may read who ask them.",
              )
            }
          />{" "}
          Agents read here only what everyone may read who can see this
        </label>
      )}
    </section>
  );
}

function Readers(props: {
  readonly shares: Shares;
  readonly give: (to: Subject, name: string, role: Role | null) => Promise<boolean>;
}) {
  const { shares, give } = props;
  const choice = (to: Subject, name: string, role: Role | null) =>
    shares.mayShare && (
      <span className="preset-actions">
        <RoleChoice
          label={`Role of ${name} here`}
          role={role}
          none="No extra role"
          onRole={(next) => void give(to, name, next)}
        />
      </span>
    );
  return (
    <section className="setting" aria-labelledby="readers-heading">
      <h3 id="readers-heading">Who can see this</h3>
      <ul className="presets" aria-label="Who can see this">
        {shares.groups.map(({ groupId, name, role, members }) => (
          <li key={groupId} className="preset">
            <span>{name}</span>
            <span className="quiet">
              Group of {members}, {roleWords[role].toLowerCase()}
            </span>
            {choice({ type: "group", id: groupId as GroupId }, name, role)}
          </li>
        ))}
        {shares.people.map((reader) => (
          <li key={reader.personId} className="preset">
            <span>{reader.name}</span>
            <span className="quiet">{sourceWords(reader)}</span>
            {choice({ type: "person", id: reader.personId as PersonId }, reader.name, reader.given)}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Those who have nothing of their own here yet. */
function without({ people, groups }: Candidates, shares: Shares): Candidates {
  return {
    people: people.filter((each) => shares.people.every(({ personId }) => personId !== each.personId)),
    groups: groups.filter((each) => shares.groups.every(({ groupId }) => groupId !== each.groupId)),
  };
}

const sources: Readonly<Record<Shares["people"][number]["from"], string>> = {
  here: "given here",
  folder: "from its folder",
  conversation: "from the conversation above",
  workspace: "from the workspace",
};

function sourceWords({ role, from, group, isEveryone }: Shares["people"][number]): string {
  const through = group === null ? (isEveryone ? ", as everyone" : "") : `, through ${group}`;
  return `${roleWords[role]}, ${sources[from]}${through}`;
}

function givenWords(name: string, role: Role | null): string {
  return role === null
    ? `${name} has no role of its own here any more.`
    : `${name} is ${roleWords[role].toLowerCase()} here.`;
}
