import { realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve } from "node:path";
import type { HeddleClient } from "../../../client/base/types.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { FolderId } from "../../../core/base/ids.ts";
import { nearestWord } from "../../../core/base/nearest-word.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { CommandForm, CommandLine } from "../base/command-line.ts";
import { safeLine } from "../base/safe-text.ts";
import type { Terminal } from "../base/terminal.ts";
import { atServer } from "../start/at-server.ts";
import { serverValues } from "../start/reach-server.ts";

export const filesForm: CommandForm = {
  name: "files",
  values: [...serverValues, "folder", "action", "path", "to"],
  switches: ["json"],
  argument: ["action", "path", "to"],
};

export const filesHelp = `heddle files: the files of a folder, on disk and in Heddle

Examples
  heddle files list                    the files of the folder that you are in
  heddle files move a.md docs/b.md     rename or move a file; its document goes with it
  heddle files delete docs/b.md        to the trash; "heddle trash restore docs/b.md" brings it back
  heddle files list --folder ../site   of another folder that Heddle knows

Paths count from the folder. Nothing is overwritten, and what agents and people have open follows.

Flags
  --folder DIR   a folder that Heddle knows; default: the one around here, else the server's own
  --json         machine-readable output
  --url URL      the address of a running server, as it was printed
  --token TOKEN  its token                        HEDDLE_TOKEN
  --data DIR     the data folder                  HEDDLE_DATA
  --store URL    the database                     HEDDLE_DATABASE_URL`;

/** Lists, moves or deletes files of a folder. */
export async function filesCommand(line: CommandLine, terminal: Terminal): Promise<number> {
  return atServer(line, terminal, ({ client }) => perform(line, terminal, client));
}

type Client = Pick<HeddleClient, "call">;
type Done = Promise<Result<void, Refusal>>;

async function perform({ values, switches }: CommandLine, terminal: Terminal, client: Client): Done {
  const { action = "list", path, to } = values;
  const json = switches.has("json");
  if (!["list", "move", "delete"].includes(action)) return err(unknownAction(action));
  const chosen = await folderOf(values["folder"], client);
  if (!chosen.ok) return chosen;
  const folder = chosen.value === null ? {} : { folderId: chosen.value };
  if (action === "list") return list(folder, { terminal, client, json });
  if (path === undefined || (action === "move" && to === undefined)) return err(missing(action));
  const done =
    action === "delete"
      ? await client.call("file.delete", { ...folder, path })
      : await client.call("file.move", { ...folder, path, to: to ?? "" });
  if (!done.ok) return done;
  if (json) terminal.print(JSON.stringify(done.value));
  else if ("entry" in done.value) terminal.note(`${safeLine(path)} is in the trash, as ${done.value.entry.id}.`);
  else terminal.note(`${safeLine(path)} is ${safeLine(done.value.path)} now.`);
  return ok(undefined);
}

interface Face {
  readonly terminal: Terminal;
  readonly client: Client;
  readonly json: boolean;
}

async function list(folder: { readonly folderId?: FolderId }, { terminal, client, json }: Face): Done {
  const listed = await client.call("file.list", folder);
  if (!listed.ok) return listed;
  if (json) terminal.print(JSON.stringify(listed.value));
  else
    for (const { path, gone } of listed.value.files)
      terminal.print(`${safeLine(path)}${gone ? "  (deleted on disk)" : ""}`);
  if (!json && listed.value.truncated) terminal.note("There are more files.");
  return ok(undefined);
}

/** Returns the folder that is named, or the innermost known one around here; null: the server's default folder. */
async function folderOf(named: string | undefined, client: Client): Promise<Result<FolderId | null, Refusal>> {
  const listed = await client.call("folder.list", {});
  if (!listed.ok) return listed;
  const here = await realpath(resolve(named ?? ".")).catch(() => resolve(named ?? "."));
  const around = listed.value.folders
    .filter(({ path }) => {
      const below = relative(path, here);
      return below === "" || (named === undefined && !below.startsWith("..") && !isAbsolute(below));
    })
    .toSorted((a, b) => b.path.length - a.path.length);
  const [found] = around;
  if (found !== undefined) return ok(found.id);
  if (named === undefined) return ok(null);
  const known = listed.value.folders.map(({ path }) => path).join(", ");
  const others = known === "" ? "" : `, or name one of: ${known}`;
  const message = `Heddle knows no folder ${named}. Add it in the app's settings${others}.`;
  return err(refusal("FOLDER_NOT_FOUND", { folder: named }, message));
}

function missing(action: string): Refusal {
  const message =
    action === "move"
      ? 'Which file, and where to? "heddle files move FROM TO".'
      : 'Which file? "heddle files delete PATH".';
  return refusal("INVALID_PARAMS", { action }, message);
}

function unknownAction(action: string): Refusal {
  const guess = nearestWord(action, ["list", "move", "delete"]);
  const hint = guess === undefined ? 'Use "list", "move" or "delete".' : `Did you mean "${guess}"?`;
  return refusal("INVALID_PARAMS", { action }, `"heddle files" cannot "${action}". ${hint}`);
}
