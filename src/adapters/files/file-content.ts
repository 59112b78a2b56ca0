import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { FilePath } from "../../core/base/file-path.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { fileBytesMax, type FileContent, type FileHash } from "../../core/port/file-tree.ts";
import { openInside, type Place } from "./contained.ts";
import { fileFailed } from "./file-failure.ts";

/** Reads a file; null where there is none. */
export async function readAt(place: Place, path: FilePath): Promise<Result<FileContent | null, Refusal>> {
  if (place.missing.length > 0) return ok(null);
  const opened = await openInside(place, path);
  if (!opened.ok) return opened;
  if (opened.value === null) return ok(null);
  try {
    return await contentIn(opened.value, path);
  } finally {
    await opened.value.close();
  }
}

/** Reads an open file from its beginning; can be called repeatedly. */
export async function contentIn(handle: FileHandle, path: FilePath): Promise<Result<FileContent, Refusal>> {
  try {
    const { size, mode, ino: inode } = await handle.stat();
    if (size > fileBytesMax) return err(refusal("BLOCK_TOO_LARGE", { path, actual: size, max: fileBytesMax }));
    const chunks: Uint8Array[] = [];
    for await (const chunk of handle.createReadStream({ start: 0, autoClose: false })) chunks.push(chunk as Uint8Array);
    const bytes = Buffer.concat(chunks);
    return ok({ bytes, hash: hashOf(bytes), mode: mode & 0o777, inode });
  } catch (problem) {
    return err(fileFailed(path, problem));
  }
}

/** Returns the SHA-256 of some bytes. */
export function hashOf(bytes: Uint8Array): FileHash {
  return createHash("sha256").update(bytes).digest("hex");
}
