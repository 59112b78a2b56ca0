import { createHash, randomBytes } from "node:crypto";
import type { HeddleClient } from "../../../client/base/types.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { BlockId, FolderId, RootId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { rights, type Right } from "../../../core/rights/token-right.ts";
import type { CommandForm, CommandLine } from "../base/command-line.ts";
import { readTime } from "../base/read-time.ts";
import { safeLine } from "../base/safe-text.ts";
import type { Terminal } from "../base/terminal.ts";
import { atServer } from "../start/at-server.ts";
import { serverValues } from "../start/reach-server.ts";

export const tokenForm: CommandForm = {
  name: "token",
  values: [...serverValues, "action", "name", "rights", "folders", "conversations", "canvases", "expires"],
  switches: ["json"],
  argument: ["action", "name"],
};

export const tokenHelp = `heddle token: tokens for programs that may do less than you

Examples
  heddle token create "Claude Code"                 read and write documents, for good
  heddle token create "Codex" --rights read         read only
  heddle token create "Gemini" --canvases doc_1/1/1 --expires 30d
                                                    one canvas, for a month
  heddle token list
  heddle token revoke token_01h…                    at once, also for what is connected

The token is printed once; Heddle keeps only its hash. What its holder writes is shown under the token's name. A scoped token opens
/mcp, reads over HTTP and the WebSocket, and runs the commands that its rights allow; it never approves a call, decides
about a suggestion or changes a setting.

Flags
  --rights LIST         read, write (documents and conversations), run (models), share; default: read,write
  --folders LIST        only the files of these folders, and the conversations that work in them
  --conversations LIST  only these conversations, with their canvases
  --canvases LIST       only these canvases
  --expires TIME        90m, 12h, 30d, or a date (2027-01-31); default: never
  --json                machine-readable output
  --url URL             the address of a running server, as it was printed
  --token TOKEN         its token                        HEDDLE_TOKEN
  --data DIR            the data folder                  HEDDLE_DATA`;

/** Makes, lists or revokes scoped tokens. */
export async function tokenCommand(line: CommandLine, terminal: Terminal): Promise<number> {
  return atServer(line, terminal, ({ client }) => perform(line, terminal, client));
}

type Done = Promise<Result<void, Refusal>>;

async function perform(line: CommandLine, terminal: Terminal, client: HeddleClient): Done {
  const { action = "list", name } = line.values;
  if (action === "list") return list(line, terminal, client);
  if (action === "create" && name !== undefined) return create(name, { line, terminal, client });
  if (action === "revoke" && name !== undefined) {
    const revoked = await client.call("token.revoke", { tokenId: name });
    if (!revoked.ok) return revoked;
    terminal.note("Revoked. Its connections are closed and its leases ended.");
    return ok(undefined);
  }
  return err(wrong('It is "heddle token list", "heddle token create NAME" or "heddle token revoke ID".'));
}

async function list({ switches }: CommandLine, terminal: Terminal, client: HeddleClient): Done {
  const listed = await client.call("token.list", {});
  if (!listed.ok) return listed;
  const { tokens } = listed.value;
  if (switches.has("json")) terminal.print(JSON.stringify(tokens));
  else if (tokens.length === 0) terminal.note('There are no scoped tokens. "heddle token create NAME" makes one.');
  else {
    for (const { tokenId, name, rights: may, scope, expiresAt } of tokens) {
      const until = expiresAt === null ? "for good" : `until ${new Date(expiresAt).toISOString()}`;
      const where = scope === null ? "the whole workspace" : [scope.folderIds, scope.rootIds, scope.canvasIds].flat();
      terminal.print(safeLine(`${tokenId}  ${name}  ${may.join(", ")}  ${String(where)}  ${until}`));
    }
  }
  return ok(undefined);
}

interface Creation {
  readonly line: CommandLine;
  readonly terminal: Terminal;
  readonly client: HeddleClient;
}

async function create(name: string, { line, terminal, client }: Creation): Done {
  const { values, switches } = line;
  const may = listOf(values["rights"] ?? "read,write");
  const allowed = may.filter((each): each is Right => rights.some((right) => right === each));
  if (allowed.length === 0 || allowed.length < may.length) {
    return err(wrong(`--rights has read, write, run and share, as in "read,write", not ${safeLine(may.join(","))}.`));
  }
  const expiresAt = values["expires"] === undefined ? null : readTime(values["expires"], Date.now());
  if (expiresAt !== null && Number.isNaN(expiresAt)) {
    return err(wrong("--expires is a time from now (90m, 12h, 30d) or a date in the future (2027-01-31)."));
  }
  const token = `hdl_${randomBytes(32).toString("base64url")}`;
  const scope = {
    folderIds: listOf(values["folders"]) as FolderId[],
    rootIds: listOf(values["conversations"]) as RootId[],
    canvasIds: listOf(values["canvases"]) as BlockId[],
  };
  const isWhole = Object.values(scope).every((ids) => ids.length === 0);
  const made = await client.call("token.create", {
    name,
    hash: createHash("sha256").update(token).digest("hex"),
    rights: allowed,
    scope: isWhole ? null : scope,
    expiresAt,
  });
  if (!made.ok) return made;
  const { tokenId } = made.value;
  if (switches.has("json")) terminal.print(JSON.stringify({ tokenId, token }));
  else {
    terminal.print(token);
    terminal.note(`This is the only time that it is shown. "heddle token revoke ${tokenId}" ends it.`);
  }
  return ok(undefined);
}

function listOf(text: string | undefined): string[] {
  return (text ?? "")
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}

function wrong(message: string): Refusal {
  return refusal("INVALID_PARAMS", {}, message);
}
