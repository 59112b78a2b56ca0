import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { counted } from "../../../core/base/counted.ts";
import { errorTable, refusal, type Refusal } from "../../../core/base/errors.ts";
import { reasonOf } from "../../../core/base/reason.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { blobIdsOf } from "../../../core/forest/export.ts";
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
be read is named with the reason, and the exit code is then 1; everything else is imported. Images and files that the
file does not have, since it was written without --blobs, are counted, with exit code 1 too.

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
  /** Images and files that messages name, and that neither the export nor the data folder has. */
  readonly missingBlobs: readonly string[];
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
  const { problems, missingBlobs } = done.value;
  return problems.length === 0 && missingBlobs.length === 0 ? 0 : 1;
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
    const missing = await keepBlobs(configuration, source.value, dryRun);
    if (!missing.ok) return missing;
    const conversations: Imported[] = [];
    for (const conversation of source.value.conversations) {
      const imported = await importConversation(ports, conversation);
      if (!imported.ok) return err(imported.error);
      conversations.push(imported.value);
    }
    const { problems, mended } = source.value;
    return ok({ dryRun, conversations, problems, mended, missingBlobs: missing.value });
  } finally {
    await data.value.close();
  }
}

/** Stores the images and files of an export, unless it is tried alone; returns those that are then missing. */
async function keepBlobs(
  configuration: Configuration,
  { conversations, blobs }: ImportSource,
  dryRun: boolean,
): Promise<Result<readonly string[], Refusal>> {
  const data = dataDirectoryAt(configuration.data);
  const given = new Set(blobs.map(({ id }) => id));
  const others = blobIdsOf(conversations.flatMap(({ nodes }) => nodes)).filter((id) => !given.has(id));
  // A trial creates nothing.
  if (dryRun && configuration.blobs === undefined && !existsSync(data.blobs)) return ok(others);
  const store = await openBlobs(configuration, data, systemPlatform("warn").clock);
  if (!store.ok) return store;
  try {
    if (!dryRun) for (const { data: bytes } of blobs) await store.value.put(Buffer.from(bytes, "base64"));
    const missing: string[] = [];
    for (const id of others) if ((await store.value.sizeOf(id)) === null) missing.push(id);
    return ok(missing);
  } catch (problem) {
    const reason = reasonOf(problem);
    return err(refusal("STORE_FAILED", { reason }, `Images and files could not be stored: ${reason}`));
  }
}

function printReport({ dryRun, conversations, problems, mended, missingBlobs }: Report, terminal: Terminal): void {
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
  if (missingBlobs.length > 0) {
    const count = counted(missingBlobs.length, "image or file", "images and files");
    const message = `${count} of these messages ${missingBlobs.length === 1 ? "is" : "are"} not in the file and not in the data folder. Write the file with "heddle export --blobs", and import it again.`;
    terminal.note(styled(terminal, "yellow", message));
  }
  const added = conversations.reduce((sum, { messagesAdded }) => sum + messagesAdded, 0);
  const verb = dryRun ? "would be added" : "added";
  const left = problems.length === 0 ? "" : ` ${counted(problems.length, "entry", "entries")} left out.`;
  const lost = left === "" && missingBlobs.length === 0 ? " Nothing was left out." : left;
  terminal.note(`${counted(added, "message")} ${verb} in ${counted(conversations.length, "conversation")}.${lost}`);
}

function why({ code, message, details }: Refusal): string {
  const { at, problem } = details ?? {};
  const place = typeof at === "string" && at !== "" ? `${at}: ` : "";
  return `${place}${typeof problem === "string" ? problem : message} (${code})`;
}
