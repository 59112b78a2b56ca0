import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { driverAt } from "../../../adapters/storage/database-drivers.ts";
import { counted } from "../../../core/base/counted.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { err, type Result } from "../../../core/base/result.ts";
import type { Configuration } from "../../data/configuration.ts";
import { dataDirectoryAt } from "../../data/data-directory.ts";
import { loadConfiguration } from "../../data/load-configuration.ts";
import { isStored } from "../../data/is-stored.ts";
import { acquireProcessLock } from "../../data/process-lock.ts";
import { recoverData, type Recovered } from "../../data/recover.ts";
import type { CommandForm, CommandLine } from "../base/command-line.ts";
import { printRefusal } from "../base/print-refusal.ts";
import { styled, userOf, type Terminal } from "../base/terminal.ts";

export const recoverForm: CommandForm = { name: "recover", values: ["data", "to"], switches: ["json"], argument: "to" };

export const recoverHelp = `heddle recover: save what can be read of damaged data in a new folder

Examples
  heddle recover                  to a new folder in backups/ of the data folder
  heddle recover /mnt/disk/notes  to that folder, which must not exist yet
  heddle serve --data DIR         start from the new folder: it is a data folder like any other

For a database that is damaged, or missing beside its log. A newer backup is better, if you have one. The damaged
folder is only read; the server must not run. Says what could not be saved. Keys and the access token are not copied.

Flags
  --data DIR    the damaged data folder      HEDDLE_DATA
  --to DIR      the new folder
  --json        machine-readable output`;

/** Recovers damaged data. The exit code is 1 where something was lost. */
export async function recover(line: CommandLine, terminal: Terminal): Promise<number> {
  const { to, ...flags } = line.values;
  const settings = loadConfiguration(flags, userOf(terminal));
  const saved = settings.ok ? await recoverTo(settings.value, to) : settings;
  if (!saved.ok) {
    return printRefusal(terminal, saved.error);
  }
  const lost = lossesOf(saved.value);
  if (line.switches.has("json")) {
    terminal.print(JSON.stringify({ ...saved.value, lost }));
  } else {
    const { folder, conversations, messages, blocks } = saved.value;
    terminal.print(folder);
    const kept = [counted(conversations, "conversation"), counted(messages, "message"), counted(blocks, "document")];
    terminal.note(`Saved: ${kept.join(", ")}.`);
    for (const loss of lost) terminal.note(styled(terminal, "yellow", loss));
    if (lost.length === 0) terminal.note("Nothing that was stored is missing.");
    terminal.note(`Start from it with: heddle serve --data ${folder}`);
  }
  return lost.length === 0 ? 0 : 1;
}

function lossesOf(saved: Recovered): readonly string[] {
  const { damagedTables, damagedLogPages, orphans, substitutes, cutBranches, missingBlobs } = saved;
  const orphaned = Object.entries(orphans).map(([table, rows]) => `${table} ${rows}`);
  return [
    ...(damagedLogPages > 0
      ? [`${counted(damagedLogPages, "page")} of the log could not be read: some of the newest changes are missing.`]
      : []),
    ...(damagedTables.length > 0 ? [`Some rows could not be read in: ${damagedTables.join(", ")}.`] : []),
    ...(substitutes > 0
      ? [
          `${counted(substitutes, "conversation")} lost title and settings; the messages are there under "Recovered conversation".`,
        ]
      : []),
    ...(cutBranches > 0 ? [`${counted(cutBranches, "message")} lost the message above and now begin a branch.`] : []),
    ...(orphaned.length > 0 ? [`Left out, because what they belonged to is lost: ${orphaned.join(", ")}.`] : []),
    ...missingBlobs.map((id) => `A message names an image or a file that is missing or damaged: ${id}`),
  ];
}

async function recoverTo(configuration: Configuration, to: string | undefined): Promise<Result<Recovered, Refusal>> {
  const data = dataDirectoryAt(configuration.data);
  if (configuration.store !== undefined) {
    const message = `Only Heddle's own SQLite database is recovered. ${driverAt(configuration.store).backup}`;
    return err(refusal("INVALID_PARAMS", { path: data.root }, message));
  }
  const stored = isStored(data.database, data);
  if (!stored.ok) return stored;
  if (!stored.value && !existsSync(`${data.database}-wal`)) {
    const message = `There is nothing to recover in ${data.root}. Name the data folder with --data.`;
    return err(refusal("NOT_FOUND", { path: data.root }, message));
  }
  const madeLock = !existsSync(data.lock);
  const lock = acquireProcessLock(data);
  if (!lock.ok) return err({ ...lock.error, message: `${lock.error.message} (${data.root})` });
  try {
    const stamp = new Date().toISOString().replaceAll(":", "-").replace(/\.\d+/, "");
    const folder = to === undefined ? join(data.backups, `recovered-${stamp}`) : resolve(to);
    return await recoverData(data, folder, () => Date.now());
  } finally {
    lock.value.release();
    if (madeLock) await rm(data.lock, { force: true });
  }
}
