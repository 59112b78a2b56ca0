import { resolve } from "node:path";
import { counted } from "../../../core/base/counted.ts";
import { errorTable, refusal, type Refusal } from "../../../core/base/errors.ts";
import { reasonOf } from "../../../core/base/reason.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { PortableBlob } from "../../../core/forest/portable.ts";
import type { Configuration } from "../../data/configuration.ts";
import { dataDirectoryAt } from "../../data/data-directory.ts";
import { openBlobs } from "../../data/open-blobs.ts";
import { loadConfiguration } from "../../data/load-configuration.ts";
import { systemPlatform } from "../../../adapters/platform/system-platform.ts";
import { personNamed } from "../../base/people.ts";
import type { CommandForm, CommandLine } from "../base/command-line.ts";
import { importConversation, type Imported } from "./import-into-store.ts";
import { readImportSource, type ImportSource } from "./import-source.ts";
import { openDataToRead, openDataToWrite } from "../start/open-data.ts";
import { printRefusal } from "../base/print-refusal.ts";
import { safeLine } from "../base/safe-text.ts";
import { styled, userOf, type Terminal } from "../base/terminal.ts";
import { userName } from "../base/user-name.ts";

export const importForm: CommandForm = {
  name: "import",
  values: ["data", "store", "model", "from"],
  switches: ["dry-run", "json"],
  argument: "from",
};

export const importHelp = `heddle import: add conversations from a file or an earlier store

Examples
  heddle import ~/.loom              the folder of an earlier file store
  heddle import talk.json            a conversation that "heddle export" wrote
  heddle import ~/.loom --dry-run    only report what would be added

The server must be stopped. Existing messages stay unchanged, so importing again adds nothing. Every file that cannot
be read is named with the reason, and the exit code is then 1; everything else is imported.

Flags
  --from PATH   the folder or the file
  --dry-run     write nothing
  --data DIR    the data folder to add to                            HEDDLE_DATA
  --model ID    provider/model for conversations without an answer   HEDDLE_MODEL
  --json        machine-readable output`;

/** The model of a conversation without an answer, where none is configured. */
const modelOfNone = "scripted/scribe";

interface Report extends Pick<ImportSource, "problems" | "mended"> {
  readonly dryRun: boolean;
  readonly conversations: readonly Imported[];
}

/** Imports conversations. The exit code is 1 where something was left out. */
export async function importCommand(line: CommandLine, terminal: Terminal): Promise<number> {
  const { from, ...flags } = line.values;
  if (from === undefined) {
    terminal.note(styled(terminal, "red", "heddle: Name what to import: a folder, or an exported file."));
    return errorTable.INVALID_PARAMS.exit;
  }
  const settings = loadConfiguration(flags, userOf(terminal));
  const dryRun = line.switches.has("dry-run");
  const done = settings.ok ? await takeOver(settings.value, { path: resolve(from), dryRun }) : settings;
  if (!done.ok) {
    const { message, details } = done.error;
    const place = details?.["problem"] === undefined ? "" : ` ${why(done.error)}`;
    return printRefusal(terminal, { ...done.error, message: `${message}${place}` });
  }
  if (line.switches.has("json")) terminal.print(JSON.stringify(done.value));
  else printReport(done.value, terminal);
  return done.value.problems.length === 0 ? 0 : 1;
}

async function takeOver(
  configuration: Configuration,
  { path, dryRun }: { readonly path: string; readonly dryRun: boolean },
): Promise<Result<Report, Refusal>> {
  const source = await readImportSource(path, personNamed(userName()));
  if (!source.ok) return source;
  const data = dryRun ? await openDataToRead(configuration, "empty") : await openDataToWrite(configuration);
  if (!data.ok) return data;
  const { store } = data.value;
  try {
    const model = configuration.model ?? modelOfNone;
    const ports = { store, platform: systemPlatform("warn"), model, cwd: process.cwd(), dryRun };
    // Blobs come before the messages that name them, so that no stored message names a missing blob.
    const kept = dryRun ? ok(undefined) : await keepBlobs(configuration, source.value.blobs);
    if (!kept.ok) return kept;
    const conversations: Imported[] = [];
    for (const conversation of source.value.conversations) {
      const imported = await importConversation(ports, conversation);
      if (!imported.ok) return err(imported.error);
      conversations.push(imported.value);
    }
    const { problems, mended } = source.value;
    return ok({ dryRun, conversations, problems, mended });
  } finally {
    await data.value.close();
  }
}

async function keepBlobs(configuration: Configuration, blobs: readonly PortableBlob[]): Promise<Result<void, Refusal>> {
  const store = await openBlobs(configuration, dataDirectoryAt(configuration.data), systemPlatform("warn").clock);
  if (!store.ok) return store;
  try {
    for (const { data } of blobs) await store.value.put(Buffer.from(data, "base64"));
    return ok(undefined);
  } catch (problem) {
    const reason = reasonOf(problem);
    return err(refusal("STORE_FAILED", { reason }, `Images and files could not be stored: ${reason}`));
  }
}

function printReport({ dryRun, conversations, problems, mended }: Report, terminal: Terminal): void {
  for (const { title, rootId, isNew, messagesAdded, messagesKept, bookmarksAdded } of conversations) {
    const name = title === "" ? rootId : `${safeLine(title)} (${rootId})`;
    const kept = messagesKept === 0 ? "" : `, ${counted(messagesKept, "message")} existed already`;
    const marks = bookmarksAdded.length === 0 ? "" : `, ${counted(bookmarksAdded.length, "bookmark")}`;
    terminal.print(`${isNew ? "new " : ""}${name}: ${counted(messagesAdded, "message")} added${kept}${marks}`);
  }
  for (const id of mended) {
    terminal.note(styled(terminal, "yellow", `The result of a call was missing; a fixed result is at ${id}.`));
  }
  for (const { file, refusal } of problems)
    terminal.note(styled(terminal, "red", safeLine(`${file}: ${why(refusal)}`)));
  const added = conversations.reduce((sum, { messagesAdded }) => sum + messagesAdded, 0);
  const verb = dryRun ? "would be added" : "added";
  const lost =
    problems.length === 0 ? "Nothing was left out." : `${counted(problems.length, "entry", "entries")} left out.`;
  terminal.note(`${counted(added, "message")} ${verb} in ${counted(conversations.length, "conversation")}. ${lost}`);
}

function why({ code, message, details }: Refusal): string {
  const { at, problem } = details ?? {};
  const place = typeof at === "string" && at !== "" ? `${at}: ` : "";
  return `${place}${typeof problem === "string" ? problem : message} (${code})`;
}
