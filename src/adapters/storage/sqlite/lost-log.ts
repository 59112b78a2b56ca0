import { constants, copyFileSync, existsSync, statSync } from "node:fs";
import { reasonOf } from "../../../core/base/reason.ts";
import { framesOf, hasWholeHeader, logHeaderBytes, notedFrames } from "./log-frames.ts";
import { StoreOpenError } from "../shared/store-error.ts";

/**
 * Refuses a database that is missing or empty while its write-ahead log holds changes: opened, SQLite would begin anew and
 * delete the log.
 */
export function refuseLostDatabase(file: string): void {
  const log = `${file}-wal`;
  const logBytes = sizeOf(log) ?? 0;
  if (logBytes <= logHeaderBytes) return;
  const databaseBytes = sizeOf(file);
  if (databaseBytes !== undefined && databaseBytes > 0) return;
  const message =
    `The database ${file} is ${databaseBytes === undefined ? "missing" : "empty"}, but its log ${log} holds ${logBytes} bytes of changes. ` +
    'Nothing was started, so that the log stays as it is. Put the database back beside it; or run "heddle recover", which saves what the log holds in a new folder; or move the log away and start from a backup.';
  throw new StoreOpenError("STORE_FAILED", message);
}

/**
 * Looks for commits in the write-ahead log behind a damaged place or header, and for the log itself. SQLite reads up to that
 * place, and overwrites the rest without a word. Returns what to tell the owner, after both files were copied aside; null
 * where nothing is lost. A log that was cut at its end is told by its index.
 *
 * A transaction that was being written when the power failed may be torn as well; it was never acknowledged. Nothing is
 * written behind it, so only what has a whole commit and a further frame behind it is damage.
 */
export function keepLostCommits(file: string, now: number): string | null {
  const log = `${file}-wal`;
  if (isMissing(file)) {
    return `The log ${log} is missing, though the database ${file} was not closed: acknowledged changes may be missing. Stop the server and put the log back beside the database, or look into a backup.`;
  }
  if ((sizeOf(log) ?? 0) <= logHeaderBytes) return null;
  // The header is on the disk before the first frame, so no power cut leaves frames behind a broken one.
  const lost = whatIsLost(log);
  if (lost === null) return null;
  const copy = `${file}.damaged-${now}`;
  try {
    for (const [from, to] of [
      [file, copy],
      [log, `${copy}-wal`],
    ] as const) {
      if (existsSync(from)) copyFileSync(from, to, constants.COPYFILE_EXCL);
    }
    return `${lost} Both files are kept as ${copy} and ${copy}-wal. What was served before this start may be in a backup; "heddle recover" saves what can be read. Check the disk.`;
  } catch (error) {
    const message = `${lost} They could not be copied to ${copy} (${reasonOf(error)}), so nothing was started and nothing is overwritten. Free some space, or copy both files, remove the log and start again.`;
    throw new StoreOpenError("STORE_FAILED", message);
  }
}

function whatIsLost(log: string): string | null {
  if (!hasWholeHeader(log))
    return `The log ${log} is damaged at its beginning: none of its changes can be applied, so the newest acknowledged changes are missing.`;
  if (hasCommitsBehindDamage(log))
    return `The log ${log} is damaged: changes behind the damaged place cannot be applied, so the newest acknowledged changes are missing.`;
  const index = log.replace(/-wal$/, "-shm");
  const noted = notedFrames(log, index) ?? 0;
  const whole = wholeFrames(log);
  if (noted <= whole) return null;
  return `The log ${log} is cut or damaged at its end: ${whole} of the ${noted} pages that were written are whole, so the newest acknowledged changes are missing.`;
}

/** How many frames SQLite applies: those up to the last whole commit. */
function wholeFrames(log: string): number {
  let [count, committed] = [0, 0];
  for (const { isWhole, databasePages } of framesOf(log)) {
    if (!isWhole) break;
    count += 1;
    if (databasePages !== 0) committed = count;
  }
  return committed;
}

/** SQLite removes the index of a log before the log itself: an index alone is left where somebody took the log away. */
function isMissing(file: string): boolean {
  return existsSync(file) && existsSync(`${file}-shm`) && !existsSync(`${file}-wal`);
}

function hasCommitsBehindDamage(log: string): boolean {
  let damaged = false;
  let commitBehind = false;
  for (const { isWhole, isOfThisRound, databasePages } of framesOf(log)) {
    if (isWhole && commitBehind) return true;
    damaged ||= !isWhole;
    if (damaged && isOfThisRound && databasePages !== 0) commitBehind = true;
  }
  return false;
}

function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}
