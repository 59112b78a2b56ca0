import { blobIdsIn } from "../../core/message/media-limits.ts";
import { constants, copyFile, link, mkdir, mkdtemp, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { openFolderBlobs } from "../../adapters/blobs/folder-blobs.ts";
import { copyDatabase, databaseDamage } from "../../adapters/storage/sqlite/copy-database.ts";
import { openSqliteStore } from "../../adapters/storage/sqlite/open-sqlite-store.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { unlessMissing } from "../../core/base/error-code.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { ContentBlock } from "../../core/message/types.ts";
import type { BlobStore } from "../../core/port/blobs.ts";
import { dataDirectoryAt, type DataDirectory } from "./data-directory.ts";
import { makeFolders } from "../base/make-folders.ts";

/** The contents of a backup; written into it as `backup.json`. */
export interface BackupFacts {
  /** UTC. */
  readonly createdAt: string;
  readonly conversations: number;
  readonly messages: number;
  readonly blocks: number;
  readonly blobs: number;
  /** Images and files that messages name but that were missing or damaged before the backup. */
  readonly missingBlobs: readonly string[];
}

export interface Backup extends BackupFacts {
  /** A data folder like any other: a server can start from it. */
  readonly folder: string;
}

/** What is copied. */
export interface BackupSource {
  readonly data: DataDirectory;
  /** Copies the database as of one instant into a new SQLite file; absent: that of the data folder. */
  readonly copyDatabase?: (file: string) => Promise<unknown>;
  /** The images and files; absent: those of the data folder. */
  readonly blobs?: BlobStore;
}

/**
 * Copies all stored data to another folder: the database as of one instant, then images and files. Works while a server
 * writes. The copy is opened and read before it gets its name, so a folder with that name is complete.
 */
export async function backUp(
  { data, copyDatabase: copy, blobs }: BackupSource,
  folder: string,
  now: () => number,
): Promise<Result<Backup, Refusal>> {
  let part: string | null = null;
  try {
    if ((await readdir(folder).catch(unlessMissing))?.length !== undefined) {
      return err(refusal("CONFLICT", { path: folder }, `${folder} already exists. Name a new folder for the backup.`));
    }
    part = await makePart(folder);
    const target = dataDirectoryAt(part);
    makeFolders(target.blobs);
    await (copy === undefined ? copyDatabase(data.database, target.database) : copy(target.database));
    // After the database: every blob that it names existed before it.
    if (blobs === undefined) await copyBlobs(data.blobs, target.blobs, now);
    else await fetchBlobs(blobs, target.blobs, now);
    await copyFile(data.models, target.models)
      .then(() => sync(target.models))
      .catch(unlessMissing);
    const damage = databaseDamage(target.database);
    if (damage !== null) return err(refusal("STORE_FAILED", { reason: damage }, `The copy is damaged: ${damage}.`));
    const facts = await readBack(target, now);
    await writeFile(join(part, "backup.json"), `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600 });
    for (const path of [target.database, join(part, "backup.json"), part]) await sync(path);
    await rename(part, folder);
    await sync(dirname(folder));
    return ok({ ...facts, folder });
  } catch (problem) {
    const reason = reasonOf(problem);
    return err(refusal("STORE_FAILED", { path: folder, reason }, `The backup was not made: ${reason}.`));
  } finally {
    if (part !== null) await rm(part, { recursive: true, force: true });
  }
}

/** Makes a folder of its own beside a folder that is to be made: whatever else lies there is not touched. */
export function makePart(folder: string): Promise<string> {
  makeFolders(dirname(folder));
  return mkdtemp(`${folder}.part-`);
}

/** Links blobs, which never change, or copies them to another disk. All bytes and names are on disk when this resolves. */
export async function copyBlobs(from: string, to: string, now: () => number): Promise<void> {
  const blobs = await openFolderBlobs({ folder: from, now });
  const shards = new Set<string>();
  for (const { id } of await blobs.list()) {
    const [shard, name] = [id.slice(0, 2), id.slice(2)];
    await mkdir(join(to, shard), { recursive: true, mode: 0o700 });
    shards.add(shard);
    // The blob was swept meanwhile: nothing names it.
    await linkOrCopy(join(from, shard, name), join(to, shard, name)).catch(unlessMissing);
  }
  for (const shard of shards) await sync(join(to, shard));
  await sync(to);
}

/** Copies blobs of another store into a folder. One that is damaged, or was swept meanwhile, is left out. */
async function fetchBlobs(from: BlobStore, to: string, now: () => number): Promise<void> {
  const blobs = await openFolderBlobs({ folder: to, now });
  for (const { id } of await from.list()) {
    const read = await from.get(id);
    if (read.ok) await blobs.put(read.value);
  }
}

async function linkOrCopy(source: string, target: string): Promise<void> {
  try {
    await link(source, target);
  } catch {
    await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    await sync(target);
  }
}

/** Opens the copy as a server would, and reads all of it. */
export async function readBack(target: DataDirectory, now: () => number): Promise<BackupFacts> {
  const store = await openSqliteStore({
    file: target.database,
    onDamaged: (problem) => {
      throw new Error(problem);
    },
  });
  try {
    const blobs = await openFolderBlobs({ folder: target.blobs, now });
    const roots = await store.roots();
    let messages = 0;
    const named = new Set<string>();
    for (const root of [...roots, ...(await store.trashedRoots())]) {
      for (const { message } of await store.nodes(root.id)) {
        messages += 1;
        for (const id of blobsIn(message.content)) named.add(id);
      }
    }
    return {
      createdAt: new Date(now()).toISOString(),
      conversations: roots.length,
      messages,
      blocks: (await store.blocks(null)).length,
      blobs: (await blobs.list()).length,
      missingBlobs: await notWhole(blobs, named),
    };
  } finally {
    // Closing writes the database's log into the one file.
    await store.close();
  }
}

function blobsIn(content: readonly ContentBlock[]): readonly string[] {
  return content.flatMap((block) => (block.type === "image" || block.type === "file" ? blobIdsIn(block.source) : []));
}

async function notWhole(blobs: BlobStore, named: ReadonlySet<string>): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const id of named) if (!(await blobs.get(id)).ok) missing.push(id);
  return missing.toSorted();
}

export async function sync(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
