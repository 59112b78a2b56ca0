import type { Refusal } from "../../core/base/errors.ts";
import type { FilePath } from "../../core/base/file-path.ts";
import type { BlockId } from "../../core/base/ids.ts";
import type { Result } from "../../core/base/result.ts";
import type { FileBlockPorts } from "./file-block-ports.ts";
import type { FileState } from "./file-state.ts";

/** A file block from within its queue: the steps of `file-steps.ts` change where its file is. */
export interface PlacedFile {
  readonly id: BlockId;
  /** Where the file is on disk, or was. */
  readonly path: FilePath;
  readonly ports: FileBlockPorts;
  readonly state: FileState;
  /** Whether the file is not text: its block has no text of its own. */
  readonly isBinary: boolean;
  put(change: Partial<FileState>): Promise<Result<void, Refusal>>;
  /** Takes over a state that a transaction of the block has stored. */
  adopt(state: FileState): void;
}
