import { readFilePath, type FilePath } from "../../core/base/file-path.ts";
import type { BlockId } from "../../core/base/ids.ts";
import { isJsonObject, type JsonObject } from "../../core/base/json.ts";
import type { FileHash } from "../../core/port/file-tree.ts";
import type { StoreWrite } from "../../core/port/store.ts";
import { metaKeys } from "../base/meta-keys.ts";

/** The state between a file block and its file, stored beside the block. */
export interface FileState {
  /** The block's version whose text the file had when they were last equal; 0: never. */
  readonly version: number;
  /** Hash of the file content that the block last merged or wrote; null: no file, or it was deleted. */
  readonly hash: FileHash | null;
  /** The file's content is merged into text that is not written yet: no version of the block equals it. */
  readonly merged: boolean;
  /** Set before the file is replaced: a crash may leave it with either content. */
  readonly writing: { readonly version: number; readonly hash: FileHash } | null;
  /** Hash of file content that cannot be merged; while it is set, the file is not written. */
  readonly conflict: FileHash | null;
  /** Whether Heddle has ever written the file: a file that was only opened is not committed to git. */
  readonly written: boolean;
  /** Where on disk the file is, or was; the block may have another path when a move is under way. Null: as the block says. */
  readonly path: FilePath | null;
  /** Set before the file is set aside to be removed: a crash may leave it in either place. */
  readonly aside: string | null;
  /** The permissions of the file that was deleted, for when it is restored. */
  readonly mode: number | null;
  /** The bytes of a file that is not text, while it is in the trash or waits to be restored. */
  readonly blob: string | null;
  /** When somebody last opened the file by its path, to the day. UTC milliseconds. */
  readonly openedAt: number;
}

/** The state of a block whose file was never written. */
export const unwritten: FileState = {
  version: 0,
  hash: null,
  merged: false,
  writing: null,
  conflict: null,
  written: false,
  path: null,
  aside: null,
  mode: null,
  blob: null,
  openedAt: 0,
};

/** What is recorded when the block has this content of the file, and text that is not written yet. */
export function mergedInto(hash: FileHash): Partial<FileState> {
  return { hash, merged: true, writing: null, conflict: null };
}

/** What is recorded when this version of the block and the file are equal. */
export function agreed(version: number, hash: FileHash | null): Partial<FileState> {
  return { version, hash, merged: false, writing: null, conflict: null };
}

export function putFileState(blockId: BlockId, state: FileState): StoreWrite {
  return {
    type: "put-meta",
    key: metaKeys.file(blockId),
    value: { ...state, writing: state.writing && { ...state.writing } },
  };
}

/** Reads the state stored for a block. An unreadable state counts as if nothing had been written: the file decides then. */
export async function fileStateOf(
  store: { meta(key: string): Promise<JsonObject | null> },
  blockId: BlockId,
): Promise<FileState> {
  const stored = await store.meta(metaKeys.file(blockId));
  const { version, hash, merged, writing, conflict, written, openedAt, path, aside, mode, blob } = stored ?? {};
  const place = readFilePath(typeof path === "string" ? path : "");
  if (typeof version !== "number") return unwritten;
  return {
    version,
    hash: typeof hash === "string" ? hash : null,
    merged: merged === true,
    writing: readWriting(writing),
    conflict: typeof conflict === "string" ? conflict : null,
    written: written === true,
    path: place.ok ? place.value : null,
    aside: typeof aside === "string" ? aside : null,
    mode: typeof mode === "number" ? mode : null,
    blob: typeof blob === "string" ? blob : null,
    openedAt: typeof openedAt === "number" ? openedAt : 0,
  };
}

function readWriting(stored: unknown): FileState["writing"] {
  if (!isJsonObject(stored)) return null;
  const { version, hash } = stored;
  return typeof version === "number" && typeof hash === "string" ? { version, hash } : null;
}
