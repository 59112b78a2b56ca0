import { refusal, type Refusal } from "../../core/base/errors.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { FileContent } from "../../core/port/file-tree.ts";
import type { PlacedFile } from "./placed-file.ts";

/**
 * The steps of a file that is not text. Its block has its place and no text; its bytes are in the blobs only while it is in
 * the trash, and until a restoration has written them.
 */

/** Records what is on disk now: the bytes there are the file's content, whoever wrote them. */
export async function noteBinary(file: PlacedFile, content: FileContent | null): Promise<Result<void, Refusal>> {
  const { state, path } = file;
  const hash = content?.hash ?? null;
  if (isToBeWritten(file)) {
    if (hash === null) return ok(undefined);
    if (hash !== state.blob) return err(refusal("FILE_EXISTS", { path }));
  }
  if (hash === state.hash) return ok(undefined);
  const now = await file.ports.hub.reader.read(file.id);
  return now.ok ? file.put({ ...asOnDisk(now.value.header.version), hash }) : now;
}

/** Writes a restored file to disk; else there is nothing to write. */
export async function writeBinary(file: PlacedFile, version: number): Promise<Result<void, Refusal>> {
  const { state, path, ports } = file;
  if (!isToBeWritten(file)) return version === state.version ? ok(undefined) : file.put(asOnDisk(version));
  const bytes = await ports.blobs.get(state.blob ?? "");
  if (!bytes.ok) return bytes;
  const written = await ports.tree.replace(path, bytes.value, null, state.mode ?? undefined);
  if (!written.ok) return written;
  return file.put({ ...asOnDisk(version), hash: written.value, blob: null, written: true });
}

/** Stores the bytes of a file that is about to leave the disk; returns their name. Null for a text file. */
export async function keptBytes(file: PlacedFile, { bytes }: FileContent): Promise<Result<string | null, Refusal>> {
  if (!file.isBinary) return ok(null);
  const put = await file.ports.blobs.put(bytes);
  return put.ok ? ok(put.value.id) : put;
}

function isToBeWritten({ state }: PlacedFile): boolean {
  return state.blob !== null && state.hash === null;
}

/** The state of a block without anything to write. */
function asOnDisk(version: number) {
  return { version, merged: false, writing: null, conflict: null } as const;
}
