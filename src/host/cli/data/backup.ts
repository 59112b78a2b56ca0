import { join, resolve } from "node:path";
import { driverAt } from "../../../adapters/storage/database-drivers.ts";
import { systemPlatform } from "../../../adapters/platform/system-platform.ts";
import { counted } from "../../../core/base/counted.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { backUp, type Backup } from "../../data/backup.ts";
import type { Configuration } from "../../data/configuration.ts";
import { dataDirectoryAt } from "../../data/data-directory.ts";
import { isStored } from "../../data/is-stored.ts";
import { copyOutOf } from "../../data/move-data.ts";
import { openBlobs } from "../../data/open-blobs.ts";
import { loadConfiguration } from "../../data/load-configuration.ts";
import type { CommandForm, CommandLine } from "../base/command-line.ts";
import { printRefusal } from "../base/print-refusal.ts";
import { styled, userOf, type Terminal } from "../base/terminal.ts";

export const backupForm: CommandForm = {
  name: "backup",
  values: ["data", "store", "to"],
  switches: ["json"],
  argument: "to",
};

export const backupHelp = `heddle backup: copy all data to another folder

Examples
  heddle backup                   to a new folder in backups/ of the data folder
  heddle backup /mnt/disk/notes   to that folder, which must not exist yet
  heddle drill /mnt/disk/notes    try whether it can be restored
  heddle serve --data DIR         start from a backup: it is a data folder like any other
  heddle migrate --from DIR --to postgres://…   put a backup into an empty PostgreSQL

Works while the server runs, with SQLite and PostgreSQL: the database is copied as of one instant. The copy is
opened and read before it counts as a backup. It does not include keys or the access token.

Flags
  --data DIR    the data folder to copy      HEDDLE_DATA
  --store URL   its PostgreSQL database      HEDDLE_DATABASE_URL
  --to DIR      the new folder
  --json        machine-readable output`;

/** Makes a backup. The exit code is 1 where images or files that messages name are missing or damaged. */
export async function backup(line: CommandLine, terminal: Terminal): Promise<number> {
  const { to, ...flags } = line.values;
  const settings = loadConfiguration(flags, userOf(terminal));
  const made = settings.ok ? await makeBackup(settings.value, to) : settings;
  if (!made.ok) {
    return printRefusal(terminal, made.error);
  }
  const { folder, conversations, messages, blocks, blobs, missingBlobs } = made.value;
  if (line.switches.has("json")) {
    terminal.print(JSON.stringify(made.value));
  } else {
    terminal.print(folder);
    const whole = [counted(conversations, "conversation"), counted(messages, "message"), counted(blocks, "document")];
    terminal.note(`${whole.join(", ")}, ${counted(blobs, "image or file", "images and files")}.`);
    for (const id of missingBlobs)
      terminal.note(styled(terminal, "yellow", `A message names an image or a file that is missing or damaged: ${id}`));
  }
  return missingBlobs.length === 0 ? 0 : 1;
}

async function makeBackup(configuration: Configuration, to: string | undefined): Promise<Result<Backup, Refusal>> {
  const data = dataDirectoryAt(configuration.data);
  const { clock } = systemPlatform("warn");
  const { store } = configuration;
  if (store !== undefined && driverAt(store).readTables === undefined) {
    const message = `${driverAt(store).backup} Copy the folder ${data.blobs} with it.`;
    return err(refusal("INVALID_PARAMS", { path: data.root }, message));
  }
  const stored = store === undefined ? isStored(data.database, data) : ok(true);
  if (!stored.ok) return stored;
  if (!stored.value) {
    const message = `There is nothing to copy in ${data.root}. Name the data folder with --data.`;
    return err(refusal("NOT_FOUND", { path: data.root }, message));
  }
  const stamp = new Date().toISOString().replaceAll(":", "-").replace(/\.\d+/, "");
  const blobs = configuration.blobs === undefined ? ok(null) : await openBlobs(configuration, data, clock);
  if (!blobs.ok) return blobs;
  const source = {
    data,
    ...(store === undefined ? {} : { copyDatabase: (file: string) => copyOutOf(store, file) }),
    ...(blobs.value === null ? {} : { blobs: blobs.value }),
  };
  return backUp(source, to === undefined ? join(data.backups, stamp) : resolve(to), () => Date.now());
}
