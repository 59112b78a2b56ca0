import { closeSync, constants, copyFileSync, existsSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { reasonOf } from "../../../core/base/reason.ts";
import { StoreOpenError } from "../shared/store-error.ts";

// The file format: https://www.sqlite.org/fileformat2.html#the_write_ahead_log

const headerBytes = 32;
const frameHeaderBytes = 24;
const magicLittleEndian = 0x377f0682;
const magicBigEndian = 0x377f0683;

/**
 * Refuses a database that is missing or empty while its write-ahead log holds changes: opened, SQLite would begin anew and
 * delete the log.
 */
export function refuseLostDatabase(file: string): void {
  const log = `${file}-wal`;
  const logBytes = sizeOf(log) ?? 0;
  if (logBytes <= headerBytes) return;
  const databaseBytes = sizeOf(file);
  if (databaseBytes !== undefined && databaseBytes > 0) return;
  const message =
    `The database ${file} is ${databaseBytes === undefined ? "missing" : "empty"}, but its log ${log} holds ${logBytes} bytes of changes. ` +
    "Nothing was started, so that the log stays as it is. Put the database back beside it, or move the log away and start from a backup.";
  throw new StoreOpenError("STORE_FAILED", message);
}

/**
 * Looks for commits in the write-ahead log behind a damaged place. SQLite reads up to that place, and overwrites the rest
 * without a word. Returns what to tell the owner, after both files were copied aside; null where nothing is lost.
 *
 * A transaction that was being written when the power failed may be torn as well; it was never acknowledged. Nothing is
 * written behind it, so only what has a whole commit and a further frame behind it is damage.
 */
export function keepLostCommits(file: string, now: number): string | null {
  const log = `${file}-wal`;
  if ((sizeOf(log) ?? 0) <= headerBytes || !hasCommitsBehindDamage(log)) return null;
  const lost = `The log ${log} is damaged: changes behind the damaged place cannot be applied, so the newest acknowledged changes are missing.`;
  const copy = `${file}.damaged-${now}`;
  try {
    for (const [from, to] of [
      [file, copy],
      [log, `${copy}-wal`],
    ] as const) {
      if (existsSync(from)) copyFileSync(from, to, constants.COPYFILE_EXCL);
    }
    return `${lost} Both files are kept as ${copy} and ${copy}-wal. What was served before this start may be in a backup; check the disk.`;
  } catch (error) {
    const message = `${lost} They could not be copied to ${copy} (${reasonOf(error)}), so nothing was started and nothing is overwritten. Free some space, or copy both files, remove the log and start again.`;
    throw new StoreOpenError("STORE_FAILED", message);
  }
}

function hasCommitsBehindDamage(log: string): boolean {
  const handle = openSync(log, "r");
  try {
    const header = Buffer.alloc(headerBytes);
    if (readSync(handle, header, 0, headerBytes, 0) < headerBytes) return false;
    const magic = header.readUInt32BE(0);
    if (magic !== magicLittleEndian && magic !== magicBigEndian) return false;
    const frameBytes = frameHeaderBytes + header.readUInt32BE(8);
    const isBigEndian = magic === magicBigEndian;
    let sums = add([0, 0], header.subarray(0, 24), isBigEndian);
    if (!isSum(sums, header, 24)) return false;
    const frame = Buffer.alloc(frameBytes);
    const frames = Math.floor((fstatSync(handle).size - headerBytes) / frameBytes);
    let damaged = false;
    let commitBehind = false;
    for (let index = 0; index < frames; index += 1) {
      if (readSync(handle, frame, 0, frameBytes, headerBytes + index * frameBytes) < frameBytes) break;
      // Frames of the log's earlier rounds have other salts.
      const isOfThisRound = frame.compare(header, 16, 24, 8, 16) === 0;
      const after = add(add(sums, frame.subarray(0, 8), isBigEndian), frame.subarray(frameHeaderBytes), isBigEndian);
      const isWhole = isOfThisRound && isSum(after, frame, 16);
      if (isWhole && commitBehind) return true;
      damaged ||= !isWhole;
      if (damaged && isOfThisRound && frame.readUInt32BE(4) !== 0) commitBehind = true;
      // What a frame says of the sums before the next: the next is judged by it, whole or not.
      sums = [frame.readUInt32BE(16), frame.readUInt32BE(20)];
    }
    return false;
  } finally {
    closeSync(handle);
  }
}

type Sums = readonly [number, number];

/** SQLite's checksum, continued over more words. */
function add([first, second]: Sums, bytes: Buffer, isBigEndian: boolean): Sums {
  let one = first;
  let two = second;
  for (let at = 0; at < bytes.length; at += 8) {
    one = (one + (isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)) + two) >>> 0;
    two = (two + (isBigEndian ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4)) + one) >>> 0;
  }
  return [one, two];
}

function isSum([first, second]: Sums, bytes: Buffer, at: number): boolean {
  return bytes.readUInt32BE(at) === first && bytes.readUInt32BE(at + 4) === second;
}

function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}
