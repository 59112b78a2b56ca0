import { sha256Hex } from "../../core/base/hash.ts";
import type { BlockId } from "../../core/base/ids.ts";
import { diffChanges } from "../../core/block/change/diff-changes.ts";
import type { FileHash } from "../../core/port/file-tree.ts";
import type { BlockReader } from "../document/block-reader.ts";
import type { BlockReading } from "../document/record/types.ts";
import type { FileState } from "./file-state.ts";

/** The common ancestor of a merge, and the version with that text; null where no version of the block has it. */
export type Base = Pick<BlockReading, "text"> & { readonly textVersion: BlockReading["textVersion"] | null };

/** A text of the file that was merged but is in no version of the block. */
export interface MergedText {
  readonly hash: FileHash;
  readonly text: string;
}

interface KnownFile {
  readonly id: BlockId;
  readonly reader: Pick<BlockReader, "readAt">;
  readonly state: FileState;
  readonly mergedText: MergedText | null;
}

/**
 * Returns the file's last known text, on which another program made `theirs`; null where that is unknown. Where it is also
 * unknown whether Heddle's last write took place, it is the nearer one of the texts before and after that write.
 */
export async function fileBase(known: KnownFile, theirs: string): Promise<Base | null> {
  const { mergedText } = known;
  const { version, hash, merged, writing } = known.state;
  const unversioned = merged && mergedText?.hash === hash ? { text: mergedText.text, textVersion: null } : null;
  const before = unversioned ?? (version === 0 || merged ? null : await textAt(known, version, hash));
  const after = writing === null ? null : await textAt(known, writing.version, writing.hash);
  if (before === null || after === null) return before;
  return changedUnits(after.text, theirs) < changedUnits(before.text, theirs) ? after : before;
}

/** Returns the block's text at a version; null where it has another hash, or is no longer known. */
async function textAt({ id, reader }: KnownFile, version: number, hash: FileHash | null): Promise<Base | null> {
  const read = await reader.readAt(id, version);
  return read.ok && (hash === null || sha256Hex(read.value.text) === hash) ? read.value : null;
}

/** How much two texts differ: units deleted and inserted. */
function changedUnits(from: string, to: string): number {
  return diffChanges(from, to).reduce((sum, change) => sum + change.to - change.from + change.insert.length, 0);
}
