import { createHash } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { errorCodeOf } from "../../core/base/error-code.ts";
import { refusal } from "../../core/base/errors.ts";
import { err, ok } from "../../core/base/result.ts";
import { type BlobEntry, type BlobStore, isBlobId } from "../../core/port/blobs.ts";

/** Milliseconds. Drafts older than this were left by a crash: no upload takes that long. */
const draftAgeMs = 60 * 60 * 1000;
const draftFolder = "drafts";

export interface FolderBlobsOptions {
  /** Created when missing, accessible to its owner only. */
  readonly folder: string;
  /** UTC milliseconds. */
  readonly now: () => number;
}

/**
 * Opens a blob store in a folder and creates the folder when it is missing. A blob is the file `ab/cdef…`, named by its id.
 * It is written as a draft, synced and renamed, so a file under its final name is always complete.
 */
export async function openFolderBlobs({ folder, now }: FolderBlobsOptions): Promise<BlobStore> {
  const drafts = join(folder, draftFolder);
  await mkdir(drafts, { recursive: true, mode: 0o700 });
  await removeOldDrafts(drafts, now());
  let drafted = 0;
  const pathOf = (id: string): string => join(folder, id.slice(0, 2), id.slice(2));
  const namedShards = new Map<string, Promise<void>>();
  /** Creates a shard folder. Its name is on disk when this resolves, also for callers that wait for the same creation. */
  const makeShard = async (shard: string): Promise<void> => {
    const isNew = (await mkdir(shard, { recursive: true, mode: 0o700 })) !== undefined;
    // A process that died may have left a shard that was never synced.
    if (isNew || !namedShards.has(shard)) namedShards.set(shard, syncFolder(folder));
    try {
      await namedShards.get(shard);
    } catch (problem) {
      namedShards.delete(shard);
      throw problem;
    }
  };

  return {
    async put(content) {
      drafted += 1;
      const draft = join(drafts, `${process.pid}-${now()}-${drafted}`);
      try {
        const { id, size } = await writeDraft(draft, content);
        const shard = join(folder, id.slice(0, 2));
        await makeShard(shard);
        // Replaces an existing file too, so that putting the same bytes again repairs a damaged copy.
        await rename(draft, pathOf(id));
        await syncFolder(shard);
        const seconds = now() / 1000;
        await utimes(pathOf(id), seconds, seconds);
        return { id, size };
      } finally {
        await rm(draft, { force: true });
      }
    },
    async get(id) {
      if (!isBlobId(id)) return err(refusal("BLOB_NOT_FOUND"));
      const bytes = await readFile(pathOf(id)).catch(unlessMissing);
      if (bytes === undefined) return err(refusal("BLOB_NOT_FOUND", { id }));
      const hash = createHash("sha256").update(bytes).digest("hex");
      return hash === id ? ok(bytes) : err(refusal("BLOB_DAMAGED", { id, size: bytes.length }));
    },
    async sizeOf(id) {
      if (!isBlobId(id)) return null;
      const found = await stat(pathOf(id)).catch(unlessMissing);
      return found?.isFile() === true ? found.size : null;
    },
    async list() {
      const entries: BlobEntry[] = [];
      const shards = (await readdir(folder)).filter((name) => /^[0-9a-f]{2}$/.test(name));
      for (const shard of shards.toSorted()) {
        const names = await readdir(join(folder, shard)).catch(unlessMissing);
        for (const name of (names ?? []).toSorted()) {
          const id = shard + name;
          const found = isBlobId(id) ? await stat(pathOf(id)).catch(unlessMissing) : undefined;
          if (found?.isFile() === true) entries.push({ id, size: found.size, storedAt: Math.round(found.mtimeMs) });
        }
      }
      return entries;
    },
    async remove(id) {
      if (isBlobId(id)) await rm(pathOf(id), { force: true });
    },
  };
}

async function writeDraft(
  draft: string,
  content: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<{ readonly id: string; readonly size: number }> {
  const hash = createHash("sha256");
  let size = 0;
  const file = await open(draft, "wx", 0o600);
  try {
    const pieces = content instanceof Uint8Array ? [content] : content;
    for await (const piece of pieces) {
      hash.update(piece);
      size += piece.length;
      await file.writeFile(piece);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { id: hash.digest("hex"), size };
}

/** Syncs a folder: a rename is durable only then. Windows cannot sync folders. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function removeOldDrafts(drafts: string, now: number): Promise<void> {
  for (const name of await readdir(drafts)) {
    const path = join(drafts, name);
    const found = await stat(path).catch(unlessMissing);
    if (found !== undefined && now - found.mtimeMs > draftAgeMs) await rm(path, { force: true });
  }
}

function unlessMissing(problem: unknown): undefined {
  const code = errorCodeOf(problem);
  if (code === "ENOENT" || code === "ENOTDIR") return undefined;
  throw problem;
}
