import type { FilePath } from "../../core/base/file-path.ts";
import type { BlockId } from "../../core/base/ids.ts";
import type { FileTree } from "../../core/port/file-tree.ts";
import type { Clock, Logger } from "../../core/port/platform.ts";
import type { Store } from "../../core/port/store.ts";
import type { BlobKeeper } from "../blobs/blob-keeper.ts";
import type { DocumentHub } from "../document/hub.ts";
import type { SeenText } from "./lent-files.ts";
import type { Author } from "../document/record/types.ts";

/** What a file block works with. */
export interface FileBlockPorts {
  readonly tree: FileTree;
  /** Whether another block than this one has the path. */
  isTaken(path: FilePath, but: BlockId): boolean;
  /** Returns 12 new hex digits. */
  newKey(): string;
  readonly hub: Pick<DocumentHub, "reader" | "editor" | "deletion" | "comments">;
  readonly store: Store;
  /** Keeps the bytes of files in the trash that are not text. */
  readonly blobs: Pick<BlobKeeper, "put" | "get">;
  readonly logger: Logger;
  readonly clock: Pick<Clock, "monotonic">;
  /** The author of changes by other programs. `change` names the undo unit. */
  outsider(change: string): Promise<Author>;
  /** Returns what that author saw of a file last, and notes what was written; null: the file as it was. */
  readonly seen: SeenText;
}
