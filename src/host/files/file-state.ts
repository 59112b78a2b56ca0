import type { BlockId } from "../../core/base/ids.ts";
import { isJsonObject, type JsonObject } from "../../core/base/json.ts";
import type { FileHash } from "../../core/port/file-tree.ts";
import type { StoreWrite } from "../../core/port/store.ts";
import { metaKeys } from "../base/meta-keys.ts";

/** How a file block and its file stand to each other, as stored beside the block. */
export interface FileState {
  /** The block's version whose text the file had when they last agreed; 0: they never did. */
  readonly version: number;
  /** What of the file the block has taken in or written: its hash; null: no file, or it was taken away. */
  readonly hash: FileHash | null;
  /** The file's content has been merged into text that is not written yet: no version of the block equals it. */
  readonly merged: boolean;
  /** Set before the file is replaced: a crash may leave it at either content. */
  readonly writing: { readonly version: number; readonly hash: FileHash } | null;
  /** The file's content that cannot be merged; while it is set, the file is not written. */
  readonly conflict: FileHash | null;
  /** Whether Heddle has ever written the file: one that was merely opened is nobody's to commit. */
  readonly written: boolean;
  /** When somebody last asked for the file by its path, to the day, UTC milliseconds. */
  readonly openedAt: number;
}

/** Of a block that no file was written for. */
const unwritten: FileState = {
  version: 0,
  hash: null,
  merged: false,
  writing: null,
  conflict: null,
  written: false,
  openedAt: 0,
};

export function putFileState(blockId: BlockId, state: FileState): StoreWrite {
  return {
    type: "put-meta",
    key: metaKeys.file(blockId),
    value: { ...state, writing: state.writing && { ...state.writing } },
  };
}

/** Reads what is stored for a block. What cannot be read is as if nothing had been written: the file decides then. */
export async function fileStateOf(
  store: { meta(key: string): Promise<JsonObject | null> },
  blockId: BlockId,
): Promise<FileState> {
  const stored = await store.meta(metaKeys.file(blockId));
  const { version, hash, merged, writing, conflict, written, openedAt } = stored ?? {};
  if (typeof version !== "number") return unwritten;
  return {
    version,
    hash: typeof hash === "string" ? hash : null,
    merged: merged === true,
    writing: readWriting(writing),
    conflict: typeof conflict === "string" ? conflict : null,
    written: written === true,
    openedAt: typeof openedAt === "number" ? openedAt : 0,
  };
}

function readWriting(stored: unknown): FileState["writing"] {
  if (!isJsonObject(stored)) return null;
  const { version, hash } = stored;
  return typeof version === "number" && typeof hash === "string" ? { version, hash } : null;
}
