import { readS3Address } from "../../../adapters/blobs/s3-place.ts";
import { systemPlatform } from "../../../adapters/platform/system-platform.ts";
import { driverAt, isDatabaseAddress } from "../../../adapters/storage/database-drivers.ts";
import { counted } from "../../../core/base/counted.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { BlobStore } from "../../../core/port/blobs.ts";
import { dataDirectoryAt } from "../../data/data-directory.ts";
import { loadConfiguration } from "../../data/load-configuration.ts";
import { moveBlobs, moveDatabase } from "../../data/move-data.ts";
import { openBlobs } from "../../data/open-blobs.ts";
import type { CommandForm, CommandLine } from "../base/command-line.ts";
import { printRefusal } from "../base/print-refusal.ts";
import { styled, userOf, type Terminal } from "../base/terminal.ts";

export const migrateForm: CommandForm = { name: "migrate", values: ["from", "to"], switches: ["json"] };

export const migrateHelp = `heddle migrate: move a workspace between SQLite and PostgreSQL, or its images to an S3 store

Examples
  heddle migrate --from ~/.local/share/heddle --to postgres://heddle@db/heddle
  heddle migrate --from postgres://heddle@db/heddle --to /srv/heddle
  heddle migrate --from ~/.local/share/heddle --to s3://bucket/prefix    images and files only

Stop the server first. The source stays as it is; the target must hold no data. Every table is read again from both
sides at the end and compared by count and hash; only then can a server open the target. If it stops halfway, run it
again: it goes on. Images, files and keys stay in the data folder: name it with --data when you start the server.

Flags
  --from PLACE   a data folder, a database's address or s3://bucket/prefix
  --to PLACE     the same
  --json         machine-readable output`;

/** Moves data from one place to another. */
export async function migrate(line: CommandLine, terminal: Terminal): Promise<number> {
  const { from, to } = line.values;
  const done =
    from === undefined || to === undefined
      ? err(refusal("INVALID_PARAMS", {}, "Name both places: --from and --to."))
      : await moved({ from, to }, line, terminal);
  if (done.ok) return done.value;
  return printRefusal(terminal, done.error);
}

interface Places {
  readonly from: string;
  readonly to: string;
}

async function moved(places: Places, line: CommandLine, terminal: Terminal): Promise<Result<number, Refusal>> {
  const { from, to } = places;
  const inBuckets = [from, to].filter((place) => place.startsWith("s3://"));
  if (inBuckets.length > 0) return movedBlobs(places, line, terminal);
  if (isDatabaseAddress(from) === isDatabaseAddress(to)) {
    const message = "One place is a data folder, the other a database. To copy a data folder, use heddle backup.";
    return err(refusal("INVALID_PARAMS", {}, message));
  }
  const json = line.switches.has("json");
  const copied = await moveDatabase(from, to, (table) => {
    if (!json) terminal.note(styled(terminal, "dim", table));
  });
  if (!copied.ok) return copied;
  const { rows, hash, continuedAt } = copied.value;
  if (json) terminal.print(JSON.stringify({ to: shown(to), rows, hash, continuedAt }));
  else {
    for (const [table, count] of Object.entries(rows)) terminal.print(`${table}\t${count}`);
    const all = Object.values(rows).reduce((sum, count) => sum + count, 0);
    terminal.note(`${counted(all, "row")} in ${shown(to)}, equal in count and hash (${hash.slice(0, 16)}).`);
    const folder = dataDirectoryAt(isDatabaseAddress(from) ? to : from).root;
    terminal.note(
      isDatabaseAddress(from)
        ? `Copy images, files and keys of the former data folder to ${folder}, then start: heddle serve --data ${folder}`
        : `Images, files and keys stay in ${folder}: heddle serve --data ${folder} --store ${shown(to)}`,
    );
  }
  return ok(0);
}

function shown(place: string): string {
  return isDatabaseAddress(place) ? driverAt(place).shownAddress(place) : place;
}

async function movedBlobs(
  { from, to }: Places,
  line: CommandLine,
  terminal: Terminal,
): Promise<Result<number, Refusal>> {
  const source = await blobsAt(from, terminal);
  if (!source.ok) return source;
  const target = await blobsAt(to, terminal);
  if (!target.ok) return target;
  const copied = await moveBlobs(source.value, target.value);
  if (line.switches.has("json")) terminal.print(JSON.stringify(copied));
  else {
    const { blobs, before, damaged } = copied;
    terminal.note(`${counted(blobs, "image or file", "images and files")} copied, ${before} there already.`);
    for (const id of damaged) terminal.note(styled(terminal, "yellow", `Damaged, and left out: ${id}`));
  }
  return ok(copied.damaged.length === 0 ? 0 : 1);
}

async function blobsAt(place: string, terminal: Terminal): Promise<Result<BlobStore, Refusal>> {
  const { clock } = systemPlatform("warn");
  if (!place.startsWith("s3://")) return openBlobs({}, dataDirectoryAt(place), clock);
  if (readS3Address(place) === null) {
    return err(refusal("INVALID_PARAMS", {}, `${place} is not an address such as s3://bucket/prefix.`));
  }
  const read = loadConfiguration({ blobs: place }, userOf(terminal));
  return read.ok ? openBlobs(read.value, dataDirectoryAt(read.value.data), clock) : read;
}
