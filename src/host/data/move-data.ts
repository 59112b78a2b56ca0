import { driverAt, isDatabaseAddress } from "../../adapters/storage/database-drivers.ts";
import { fillSqliteTables, readSqliteTables } from "../../adapters/storage/sqlite/sqlite-tables.ts";
import { StoreOpenError } from "../../adapters/storage/shared/store-error.ts";
import {
  copyTables,
  CopyDiffersError,
  type CopiedRows,
  type TablesReader,
  type TablesWriter,
} from "../../adapters/storage/shared/table-copy.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { BlobStore } from "../../core/port/blobs.ts";
import { closeInOrder, type Closing } from "../base/close-in-order.ts";
import { createDataDirectory, dataDirectoryAt } from "./data-directory.ts";
import { isStored } from "./is-stored.ts";
import { acquireProcessLock } from "./process-lock.ts";

/**
 * Copies a workspace's database into another one: from a data folder to a database's address, or back. No server may use
 * either. What was broken off is continued, and all of it is compared at the end, before a server can open it.
 */
export async function moveDatabase(
  from: string,
  to: string,
  onTable: (table: string) => void = () => {},
): Promise<Result<CopiedRows, Refusal>> {
  const opened: Closing[] = [];
  try {
    const source = await sourceAt(from, opened);
    if (!source.ok) return source;
    const target = await targetAt(to, opened);
    if (!target.ok) return target;
    return ok(await copyTables(source.value, target.value, onTable));
  } catch (problem) {
    return err(moveRefusal(problem));
  } finally {
    await closeInOrder(opened.toReversed());
  }
}

/** Copies a database as of one instant into a new SQLite file, while servers write. */
export async function copyOutOf(url: string, file: string): Promise<CopiedRows> {
  const source = await readerAt(url, { alone: false });
  try {
    const target = fillSqliteTables(file);
    try {
      return await copyTables(source, target);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function readerAt(url: string, how: { readonly alone: boolean }): Promise<TablesReader> {
  const reader = await driverAt(url).readTables?.(url, how);
  if (reader === undefined) throw new StoreOpenError("STORE_FAILED", cannot(url));
  return reader;
}

function cannot(url: string): string {
  return `Heddle cannot copy the tables of ${driverAt(url).shownAddress(url)}.`;
}

async function sourceAt(from: string, opened: Closing[]): Promise<Result<TablesReader, Refusal>> {
  if (isDatabaseAddress(from)) {
    const reader = await readerAt(from, { alone: true });
    opened.push(() => reader.close());
    return ok(reader);
  }
  const data = dataDirectoryAt(from);
  const stored = isStored(data.database, data);
  if (!stored.ok) return stored;
  if (!stored.value) {
    return err(refusal("NOT_FOUND", { path: data.root }, `${data.root} is no data folder with a database.`));
  }
  const lock = acquireProcessLock(data);
  if (!lock.ok) return err({ ...lock.error, message: `${lock.error.message} (${data.root})` });
  opened.push(() => lock.value.release());
  const reader = readSqliteTables(data.database);
  opened.push(() => reader.close());
  return ok(reader);
}

async function targetAt(to: string, opened: Closing[]): Promise<Result<TablesWriter, Refusal>> {
  if (isDatabaseAddress(to)) {
    const driver = driverAt(to);
    const writer = await driver.fillTables?.(to);
    if (writer === undefined) throw new StoreOpenError("STORE_FAILED", cannot(to));
    opened.push(() => writer.close());
    return ok(writer);
  }
  const data = createDataDirectory(dataDirectoryAt(to));
  if (!data.ok) return data;
  const lock = acquireProcessLock(data.value);
  if (!lock.ok) return err({ ...lock.error, message: `${lock.error.message} (${data.value.root})` });
  opened.push(() => lock.value.release());
  const writer = fillSqliteTables(data.value.database);
  opened.push(() => writer.close());
  return ok(writer);
}

function moveRefusal(problem: unknown): Refusal {
  const reason = reasonOf(problem);
  if (problem instanceof StoreOpenError) {
    const code = problem.code === "STORE_IN_USE" ? "DATA_IN_USE" : "STORE_FAILED";
    return refusal(code, { reason: problem.code }, reason);
  }
  if (problem instanceof CopyDiffersError) return refusal("STORE_FAILED", { reason }, reason);
  return refusal("STORE_FAILED", { reason }, `The move stopped: ${reason}. Run it again: it goes on where it stopped.`);
}

/** What a move of images and files did. */
export interface MovedBlobs {
  readonly blobs: number;
  readonly bytes: number;
  /** How many were there already. */
  readonly before: number;
  /** Those whose bytes are damaged in the source; they were left out. */
  readonly damaged: readonly string[];
}

/** Copies images and files that the target lacks; each is hashed on its way. Servers may use both. */
export async function moveBlobs(from: BlobStore, to: BlobStore): Promise<MovedBlobs> {
  const there = new Map((await to.list()).map(({ id, size }) => [id, size]));
  const damaged: string[] = [];
  let [bytes, before, blobs] = [0, 0, 0];
  for (const { id, size } of await from.list()) {
    if (there.get(id) === size) {
      before += 1;
      continue;
    }
    const read = await from.get(id);
    if (read.ok) {
      const put = await to.put(read.value);
      blobs += 1;
      bytes += put.size;
    } else if (read.error.code === "BLOB_DAMAGED") damaged.push(id);
  }
  return { blobs, bytes, before, damaged };
}
