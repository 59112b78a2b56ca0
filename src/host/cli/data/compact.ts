import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { compactDatabase, type CompactedDatabase } from "../../../adapters/storage/sqlite/compact-database.ts";
import { databaseDamage } from "../../../adapters/storage/sqlite/copy-database.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { reasonOf } from "../../../core/base/reason.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { Configuration } from "../../data/configuration.ts";
import { dataDirectoryAt } from "../../data/data-directory.ts";
import { loadConfiguration } from "../../data/load-configuration.ts";
import { isStored } from "../../data/is-stored.ts";
import { acquireProcessLock } from "../../data/process-lock.ts";
import type { CommandForm, CommandLine } from "../base/command-line.ts";
import { printRefusal } from "../base/print-refusal.ts";
import { userOf, type Terminal } from "../base/terminal.ts";

export const compactForm: CommandForm = { name: "compact", values: ["data"], switches: ["json"] };

export const compactHelp = `heddle compact: give the disk back what the database no longer uses

Examples
  heddle compact

Room of what was deleted or is no longer kept is used again, but the file does not shrink by itself. This writes it
anew; nothing that is stored is changed. The server must not run, and the disk needs as much free space as the
database takes. How long things are kept: the trash by "heddle trash", the history of documents by
"heddle serve --history-days N".

Flags
  --data DIR    the data folder              HEDDLE_DATA
  --json        machine-readable output`;

/** Makes the database as small as what it holds. */
export async function compact(line: CommandLine, terminal: Terminal): Promise<number> {
  const settings = loadConfiguration(line.values, userOf(terminal));
  const done = settings.ok ? await compactIn(settings.value) : settings;
  if (!done.ok) {
    return printRefusal(terminal, done.error);
  }
  const { before, after } = done.value;
  if (line.switches.has("json")) terminal.print(JSON.stringify({ before, after }));
  else terminal.print(`The database took ${megabytes(before)} and takes ${megabytes(after)}.`);
  return 0;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

async function compactIn(configuration: Configuration): Promise<Result<CompactedDatabase, Refusal>> {
  const data = dataDirectoryAt(configuration.data);
  if (configuration.store !== undefined) {
    const message = "Only Heddle's own SQLite database is compacted. A database server does this by itself.";
    return err(refusal("INVALID_PARAMS", { path: data.root }, message));
  }
  const stored = isStored(data.database, data);
  if (!stored.ok) return stored;
  if (!stored.value) {
    const message = `There is nothing to compact in ${data.root}. Name the data folder with --data.`;
    return err(refusal("NOT_FOUND", { path: data.root }, message));
  }
  const madeLock = !existsSync(data.lock);
  const lock = acquireProcessLock(data);
  if (!lock.ok) return err({ ...lock.error, message: `${lock.error.message} (${data.root})` });
  try {
    // What a damaged page holds could be saved before; what was written anew without it could not.
    const damage = databaseDamage(data.database);
    if (damage === null) return ok(compactDatabase(data.database));
    const message = `The database is damaged (${damage}). Nothing was changed. Save what can be read with "heddle recover".`;
    return err(refusal("STORE_FAILED", { path: data.database, reason: damage }, message));
  } catch (problem) {
    const reason = reasonOf(problem);
    const message = `The database was not compacted: ${reason}. Nothing was changed.`;
    return err(refusal("STORE_FAILED", { path: data.database, reason }, message));
  } finally {
    lock.value.release();
    if (madeLock) await rm(data.lock, { force: true });
  }
}
