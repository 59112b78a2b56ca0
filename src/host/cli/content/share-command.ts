import { randomBytes } from "node:crypto";
import { linkHashes, linkPasswordUnits } from "../../../client/base/link-proof.ts";
import type { HeddleClient } from "../../../client/base/types.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { LinkId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { CommandAnswer, CommandParams } from "../../../core/protocol/commands.ts";
import { linkRoles } from "../../../core/rights/rights-row.ts";
import { roles } from "../../../core/rights/role.ts";
import type { CommandForm, CommandLine } from "../base/command-line.ts";
import { readTime } from "../base/read-time.ts";
import { safeLine } from "../base/safe-text.ts";
import type { Terminal } from "../base/terminal.ts";
import { atServer } from "../start/at-server.ts";
import { serverValues, type ReachedServer } from "../start/reach-server.ts";
import { findDocument, workFlags } from "./named-thing.ts";
import { findSubject } from "./named-subject.ts";

export const shareForm: CommandForm = {
  name: "share",
  values: [...serverValues, "action", "thing", "who", "as", "kind", "expires"],
  switches: ["json", "password"],
  argument: ["action", "thing", "who", "as"],
};

export const shareHelp = `heddle share: who can see a document, a conversation or a folder of a team, and who may

Examples
  heddle share list Plan                     who can see it, by which role, and from where they have it
  heddle share give Plan Bob editor          to a person, a group, or everyone
  heddle share take Plan Bob                 what they have from elsewhere stays
  heddle share inherit Plan no               only who is named here; "yes" counts the roles of its folder again
  heddle share link Plan --expires 7d        a link for people without an account, printed once
  heddle share link Plan --as commenter
  echo "$WORDS" | heddle share link Plan --password
  heddle share unlink Plan link_01h…         at once, also where it is open
  heddle share list weather-1a2b --kind conversation
  heddle share give Projects/2027 Weavers viewer --kind folder

The roles are viewer, commenter, editor and owner; each may do what the ones before it may. The server has accounts
("heddle serve --team"), and the token is one of yours with the rights read and share, from the settings. Nobody shares by a token
what they may not share themselves.

Flags
  --kind WHAT        what the name means: document (the default), conversation, or folder, a folder of documents
  --expires TIME     of a link: 90m, 12h, 30d, or a date (2027-01-31), at most 90 days; default: 7d
  --as ROLE          of a link: viewer (the default) or commenter
  --password         of a link: visitors are asked for a password, which is read from standard input (8 to 128 characters)
${workFlags}`;

/** Shows or changes who can see something. */
export async function shareCommand(line: CommandLine, terminal: Terminal): Promise<number> {
  return atServer(line, terminal, async (server) => {
    const { action = "list" } = line.values;
    const perform = actions.get(action);
    if (perform === undefined) {
      return err(wrong(`It is ${[...actions.keys()].join(", ")}, not ${safeLine(action)}.`));
    }
    const on = await findThing(server.client, line);
    return on.ok ? perform({ line, terminal, server, on: on.value }) : on;
  });
}

type Thing = CommandParams<"share.list">["on"];

interface Asked {
  readonly line: CommandLine;
  readonly terminal: Terminal;
  readonly server: ReachedServer;
  readonly on: Thing;
}

type Done = Promise<Result<unknown, Refusal>>;

const actions: ReadonlyMap<string, (asked: Asked) => Done> = new Map([
  ["list", list],
  ["give", give],
  ["take", take],
  ["inherit", inherit],
  ["link", link],
  ["unlink", unlink],
]);

async function findThing(client: HeddleClient, { values }: CommandLine): Promise<Result<Thing, Refusal>> {
  const { thing, kind = "document" } = values;
  if (kind === "document") {
    const found = await findDocument(client, thing);
    return found.ok ? ok({ type: "document", id: found.value }) : found;
  }
  if (thing === undefined) return err(wrong(`Which ${safeLine(kind)}? Name it behind the action.`));
  if (kind === "conversation") {
    const found = await client.call("conversation.find", { name: thing });
    return found.ok ? ok({ type: "conversation", id: found.value.id }) : found;
  }
  if (kind === "folder") return ok({ type: "folder-path", path: thing });
  return err(wrong(`--kind is document, conversation or folder, not ${safeLine(kind)}.`));
}

async function list({ line, terminal, server, on }: Asked): Done {
  const listed = await server.client.call("share.list", { on });
  if (!listed.ok) return listed;
  if (line.switches.has("json")) {
    terminal.print(JSON.stringify({ on, ...listed.value }));
    return listed;
  }
  const { people, groups, everyone, inherits, links } = listed.value;
  for (const each of people) terminal.print(safeLine(`${each.role}  ${each.name}  ${sourceOf(each)}`));
  for (const { role, name, members } of groups) terminal.print(safeLine(`${role}  group ${name} (${members})  here`));
  if (everyone !== null) terminal.print(`${everyone}  everyone  here`);
  for (const { role, linkId, hasPassword, by, expiresAt } of links) {
    const until = `until ${new Date(expiresAt).toISOString()}${hasPassword ? ", with a password" : ""}`;
    terminal.print(safeLine(`${role}  ${linkId}  made by ${by}, ${until}`));
  }
  terminal.note(inherits ? "Roles on what it lies in count here." : "Roles on what it lies in do not count here.");
  return listed;
}

function sourceOf({ from, group, isEveryone }: CommandAnswer<"share.list">["people"][number]): string {
  const where = from === "here" ? "here" : `from the ${from}`;
  if (group !== null) return `${where}, through the group ${group}`;
  return isEveryone ? `${where}, as everyone` : where;
}

async function give(asked: Asked): Done {
  const { who, as: given } = asked.line.values;
  const role = roles.find((each) => each === given);
  if (who === undefined || role === undefined) {
    return err(wrong(`It is "heddle share give THING WHO ROLE"; the role is ${roles.join(", ")}.`));
  }
  return setRole(asked, who, role);
}

async function take(asked: Asked): Done {
  const { who, as: given } = asked.line.values;
  if (who === undefined || given !== undefined)
    return err(wrong('It is "heddle share take THING WHO", without a role.'));
  return setRole(asked, who, null);
}

async function setRole(
  { line, terminal, server: { client }, on }: Asked,
  who: string,
  role: CommandParams<"share.give">["role"],
): Done {
  const subject = await findSubject(client, who);
  if (!subject.ok) return subject;
  const { to, name } = subject.value;
  const done = await client.call("share.give", { on, to, role });
  if (!done.ok) return done;
  if (line.switches.has("json")) terminal.print(JSON.stringify({ on, to, role }));
  else terminal.note(safeLine(role === null ? `Taken from ${name}.` : `Given: ${name} is ${role} here.`));
  return done;
}

async function inherit({ line, terminal, server: { client }, on }: Asked): Done {
  const { who: answer } = line.values;
  if (answer !== "yes" && answer !== "no") return err(wrong('It is "heddle share inherit THING yes" or "… no".'));
  const inherits = answer === "yes";
  const done = await client.call("share.inherit", { on, inherits });
  if (!done.ok) return done;
  if (line.switches.has("json")) terminal.print(JSON.stringify({ on, inherits }));
  else terminal.note(inherits ? "Roles on what it lies in count here." : "Roles on what it lies in do not count here.");
  return done;
}

/** A link is refused beyond 90 days of the server's clock, which may be behind this one's. */
const clockSlackMs = 60_000;

async function link({ line, terminal, server: { client, url }, on }: Asked): Done {
  const { as: given = "viewer", expires = "7d", who } = line.values;
  const role = linkRoles.find((each) => each === given);
  const expiresAt = readTime(expires, Date.now()) - clockSlackMs;
  if (role === undefined) return err(wrong(`A link is for a viewer or a commenter, not for ${safeLine(given)}.`));
  if (who !== undefined) return err(wrong("A link is for whoever has it. Leave the name out."));
  if (Number.isNaN(expiresAt)) {
    return err(wrong("--expires is a time from now (90m, 12h, 30d) or a date in the future (2027-01-31)."));
  }
  const secret = randomBytes(32).toString("base64url");
  const password = line.switches.has("password") ? await readPassword(terminal) : null;
  const { min, max } = linkPasswordUnits;
  if (password !== null && (password.length < min || password.length > max)) {
    return err(wrong(`A link's password has ${min} to ${max} characters. No link was made.`));
  }
  const hashes = await linkHashes(secret, password);
  const made = await client.call("share.link", { on, ...hashes, role, expiresAt });
  if (!made.ok) return made;
  const { linkId } = made.value;
  const address = `${url}/#visit=${secret}`;
  if (line.switches.has("json")) terminal.print(JSON.stringify({ on, linkId, url: address, role, expiresAt }));
  else {
    terminal.print(address);
    const until = new Date(expiresAt).toISOString();
    terminal.note(`It is shown this once, and ends ${until}. "heddle share unlink" with ${linkId} ends it before.`);
  }
  return made;
}

async function readPassword(terminal: Terminal): Promise<string> {
  const said = terminal.ask === undefined ? await terminal.input() : await terminal.ask("Password of the link: ");
  return said.replace(/\r?\n$/u, "");
}

async function unlink({ line, terminal, server: { client }, on }: Asked): Done {
  const { who: linkId } = line.values;
  if (linkId === undefined) return err(wrong('Which link? "heddle share list" names them.'));
  const done = await client.call("share.end-link", { on, linkId: linkId as LinkId });
  if (!done.ok) return done;
  if (line.switches.has("json")) terminal.print(JSON.stringify({ on, linkId }));
  else terminal.note("The link has ended, also where it is open.");
  return done;
}

function wrong(message: string): Refusal {
  return refusal("INVALID_PARAMS", {}, message);
}
