import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { reasonOf } from "../../../core/base/reason.ts";
import { keepLostCommits, refuseLostDatabase } from "./lost-log.ts";
import { busyTimeoutMs, cacheKibibytes } from "./open-for-reading.ts";
import { migrate, schemaToRaise } from "./migrate.ts";
import { StoreOpenError } from "../shared/store-error.ts";
import { deleteUnnamedPieces } from "./tables/snapshots.ts";

/** In earlier versions, two connections that write and checkpoint at once can corrupt the file (the WAL-reset defect). */
const sqliteVersionMin = [3, 51, 3] as const;

const walBytesKept = 64 * 1024 * 1024;
/** A larger database is not checked at the start, which it would delay by seconds. */
const checkedBytesMax = 256 * 1024 * 1024;

/**
 * Opens the one writing connection, durable at every commit, and migrates the file to the newest schema. `damaged` is told
 * what is damaged and does not prevent the start.
 */
export function openDatabase(file: string, damaged: (problem: string) => void = () => {}): DatabaseSync {
  refuseLostDatabase(file);
  const lost = keepLostCommits(file, Date.now());
  if (lost !== null) damaged(lost);
  // A clean stop removes the log, so a log at the start means that the last process ended otherwise.
  const wasCut = existsSync(`${file}-wal`);
  createPrivately(file);
  const database = new DatabaseSync(file, {
    enableForeignKeyConstraints: true,
    enableDoubleQuotedStringLiterals: false,
    timeout: busyTimeoutMs,
    defensive: true,
  });
  try {
    refuseOldSqlite(database);
    database.exec("PRAGMA mmap_size = 0");
    const mode = Object.values(database.prepare("PRAGMA journal_mode = WAL").get() ?? {})[0];
    if (mode !== "wal")
      throw new StoreOpenError(
        "STORE_FAILED",
        "The data folder's file system does not support SQLite's write-ahead log. Use another folder.",
      );
    database.exec(`
      PRAGMA synchronous = FULL;
      PRAGMA temp_store = MEMORY;
      PRAGMA cache_size = -${cacheKibibytes};
      PRAGMA journal_size_limit = ${walBytesKept};
    `);
    if (wasCut) reportDamage(database, file, damaged);
    copyBeforeMigration(database, file);
    migrate(database);
    database.exec(deleteUnnamedPieces);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Copies a database of an older schema beside it, so that the older release can be started again. Without room for the copy
 * nothing is changed.
 */
function copyBeforeMigration(database: DatabaseSync, file: string): void {
  const schema = schemaToRaise(database);
  const copy = `${file}.schema-${schema}`;
  if (schema === null || existsSync(copy)) return;
  const draft = `${copy}.part`;
  try {
    rmSync(draft, { force: true });
    createPrivately(draft);
    database.prepare("VACUUM INTO ?").run(draft);
    const handle = openSync(draft, "r+");
    fsyncSync(handle);
    closeSync(handle);
    renameSync(draft, copy);
  } catch (error) {
    if (statSync(draft, { throwIfNoEntry: false })?.isFile() === true) rmSync(draft);
    const message = `The data has schema ${schema}, which this release changes, and no copy could be made before (${reasonOf(error)}). Nothing was changed. Free some space, or start the earlier release.`;
    throw new StoreOpenError("STORE_FAILED", message);
  }
}

/** Looks through all pages, without comparing indexes with their tables, which would take many times as long. */
function reportDamage(database: DatabaseSync, file: string, damaged: (problem: string) => void): void {
  if (statSync(file).size > checkedBytesMax) return;
  const [said] = database.prepare("PRAGMA quick_check(1)").all();
  const found = String(Object.values(said ?? {})[0] ?? "no answer");
  if (found === "ok") return;
  damaged(
    `The database ${file} is damaged (${found}). What can be read is served. Stop the server, and start from a backup or from what "heddle recover" saves.`,
  );
}

/**
 * Creates an empty file that only its owner may read; SQLite copies its mode to the write-ahead log. Leaves an existing
 * file alone: opening and closing it here would drop the locks that another connection of this process has on it.
 */
function createPrivately(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, "wx", 0o600));
}

function refuseOldSqlite(database: DatabaseSync): void {
  const version = String(Object.values(database.prepare("SELECT sqlite_version()").get() ?? {})[0]);
  if (isSqliteRecentEnough(version)) return;
  const message = `SQLite ${version} can corrupt data; ${sqliteVersionMin.join(".")} or later is needed. Use a newer Node.js.`;
  throw new StoreOpenError("SQLITE_TOO_OLD", message);
}

export function isSqliteRecentEnough(version: string): boolean {
  const parts = version.split(".").map(Number);
  for (const [index, least] of sqliteVersionMin.entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}
