import type { HeddleClient } from "../../../client/base/types.ts";
import { counted } from "../../../core/base/counted.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { nearestWord } from "../../../core/base/nearest-word.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { TrashEntry } from "../../../core/forest/trash-entry.ts";
import type { CommandForm, CommandLine } from "../base/command-line.ts";
import { safeLine } from "../base/safe-text.ts";
import type { Terminal } from "../base/terminal.ts";
import { atServer } from "../start/at-server.ts";
import { serverValues } from "../start/reach-server.ts";

export const trashForm: CommandForm = {
  name: "trash",
  values: [...serverValues, "action", "entry"],
  switches: ["json", "yes", "keep-both"],
  argument: ["action", "entry"],
};

export const trashHelp = `heddle trash: what was deleted, and can be restored

Examples
  heddle trash list                    what is in the trash, newest first
  heddle trash restore trash_01h…      put it back where it was
  heddle trash restore "Plan"          by its title, if only one entry has it
  heddle trash restore notes/a.md --keep-both
                                       beside the file that has its path now
  heddle trash empty --yes             delete everything there for good

Canvases, files, conversations and messages that people or agents delete stay in the trash for 30 days, or as long as
the settings of the app say. A file is on disk again when it is restored. Nothing brings back what was deleted for good.

Flags
  --yes          with empty: do not ask
  --keep-both    with restore: a file comes back as "name (restored)" when another has its path
  --json         machine-readable output
  --url URL      the address of a running server, as it was printed
  --token TOKEN  its token                        HEDDLE_TOKEN
  --data DIR     the data folder                  HEDDLE_DATA
  --store URL    the database                     HEDDLE_DATABASE_URL`;

/** Lists, restores or empties the trash. */
export async function trashCommand(line: CommandLine, terminal: Terminal): Promise<number> {
  return atServer(line, terminal, ({ client }) => perform(line, terminal, client));
}

type Done = Promise<Result<void, Refusal>>;

async function perform(line: CommandLine, terminal: Terminal, client: HeddleClient): Done {
  const { action = "list", entry } = line.values;
  if (action === "list") return list(line, terminal, client);
  if (action === "restore") {
    const { switches } = line;
    const wish = { wanted: entry, json: switches.has("json"), keepBoth: switches.has("keep-both") };
    return restore(wish, terminal, client);
  }
  if (action === "empty") return empty(line, terminal, client);
  const guess = nearestWord(action, ["list", "restore", "empty"]);
  const hint = guess === undefined ? 'Use "list", "restore" or "empty".' : `Did you mean "${guess}"?`;
  return err(refusal("INVALID_PARAMS", { action }, `"heddle trash" cannot "${action}". ${hint}`));
}

async function list({ switches }: CommandLine, terminal: Terminal, client: HeddleClient): Done {
  const entries = await all(client);
  if (!entries.ok) return entries;
  if (switches.has("json")) {
    terminal.print(JSON.stringify({ entries: entries.value }));
    return ok(undefined);
  }
  if (entries.value.length === 0) terminal.note("The trash is empty.");
  for (const entry of entries.value) terminal.print(shownEntry(entry));
  return ok(undefined);
}

async function restore(
  {
    wanted,
    json,
    keepBoth,
  }: { readonly wanted: string | undefined; readonly json: boolean; readonly keepBoth: boolean },
  terminal: Terminal,
  client: HeddleClient,
): Done {
  if (wanted === undefined) {
    return err(refusal("INVALID_PARAMS", {}, 'Which entry? "heddle trash list" shows their ids and titles.'));
  }
  const entries = await all(client);
  if (!entries.ok) return entries;
  const found = entries.value.filter(({ id, title }) => id === wanted || title === wanted);
  const [entry, ...others] = found;
  if (entry === undefined) {
    const message = `Nothing in the trash has the id or the title "${wanted}". "heddle trash list" shows what is there.`;
    return err(refusal("NOT_IN_TRASH", { wanted }, message));
  }
  if (others.length > 0) {
    const message = `${counted(found.length, "entry", "entries")} have this title. Give the id of one: ${found.map(({ id }) => id).join(", ")}.`;
    return err(refusal("INVALID_PARAMS", { wanted }, message));
  }
  const restored = await client.call("trash.restore", { trashId: entry.id, ...(keepBoth ? { keepBoth } : {}) });
  if (!restored.ok) return err(withHint(restored.error));
  if (json) terminal.print(JSON.stringify(restored.value));
  else terminal.note(`Restored: ${safeLine(entry.title)}.`);
  return ok(undefined);
}

/** Says how both files are kept. */
function withHint(refused: Refusal): Refusal {
  return refused.code === "FILE_EXISTS"
    ? { ...refused, message: `${refused.message} To keep both, add --keep-both.` }
    : refused;
}

async function empty({ switches }: CommandLine, terminal: Terminal, client: HeddleClient): Done {
  const entries = await all(client);
  if (!entries.ok) return entries;
  const count = counted(entries.value.length, "entry", "entries");
  if (!switches.has("yes") && entries.value.length > 0) {
    const message = `This deletes ${count} for good, and nothing brings them back. To do it, add --yes.`;
    return err(refusal("INVALID_PARAMS", { entries: entries.value.length }, message));
  }
  const purged = await client.call("trash.purge", {});
  if (!purged.ok) return purged;
  if (switches.has("json")) terminal.print(JSON.stringify(purged.value));
  else terminal.note(`Deleted ${counted(purged.value.purged, "entry", "entries")} for good.`);
  return ok(undefined);
}

/** Everything in the trash, newest first. */
async function all(client: HeddleClient): Promise<Result<readonly TrashEntry[], Refusal>> {
  const entries: TrashEntry[] = [];
  for (;;) {
    const after = entries.at(-1)?.id;
    const page = await client.call("trash.list", after === undefined ? {} : { after });
    if (!page.ok) return page;
    entries.push(...page.value.entries);
    if (!page.value.more) return ok(entries);
  }
}

const kinds: Readonly<Record<TrashEntry["object"]["type"], string>> = {
  canvas: "canvas",
  block: "block",
  file: "file",
  thread: "comment",
  conversation: "conversation",
  branch: "messages",
};

function shownEntry({ id, object, title, by, at, purgeAt }: TrashEntry): string {
  const until = purgeAt === null ? "kept" : `until ${day(purgeAt)}`;
  return `${id}  ${kinds[object.type]}  ${safeLine(title)}  deleted by ${safeLine(by.name)} on ${day(at)}, ${until}`;
}

function day(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
