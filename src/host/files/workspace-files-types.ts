import type { Refusal } from "../../core/base/errors.ts";
import type { FilePath } from "../../core/base/file-path.ts";
import type { BlockId, DocumentId, FolderId } from "../../core/base/ids.ts";
import type { Result } from "../../core/base/result.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import type { FileCommit, FileContent, FileHash, FileList, FileTree } from "../../core/port/file-tree.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { Store } from "../../core/port/store.ts";
import type { KeptSide } from "../../core/protocol/commands.ts";
import type { BlockEntry, TrashOptions, TrashStep } from "../document/block-deletion.ts";
import type { DocumentHub } from "../document/hub.ts";
import type { Author, EditOptions } from "../document/record/types.ts";
import type { Replicas } from "../replica/replica-registry.ts";
import type { SeenText } from "./lent-files.ts";
import type { FileBlockPorts } from "./file-block-ports.ts";
import type { CommittedFiles } from "./folder-commits.ts";

/** Options of the restoration of a file. */
interface RestoreFileOptions extends TrashOptions {
  readonly keepsBoth?: boolean;
}

/** A restored file: its path, and whether it is on disk again already. */
export interface RestoredFile extends TrashStep {
  readonly path: FilePath;
  readonly saved: Result<void, Refusal>;
}

/** A file of the workspace folder, as listed. */
export interface WorkspaceFile {
  readonly path: FilePath;
  /** null until it is opened, and for a file that is not text. */
  readonly blockId: BlockId | null;
  /** Whether the block has text that is not in the file yet. */
  readonly dirty: boolean;
  readonly conflict: boolean;
  /** Whether the file was deleted on disk; its block keeps the text, and comes back with the file. */
  readonly gone: boolean;
  /** Why the file cannot be opened, read or written now; null: no known problem. */
  readonly problem: string | null;
}

export interface UnopenedFile {
  readonly path: FilePath;
  readonly version: number;
}

/** A file's text, and its block where it has one. */
export interface FileReading {
  readonly path: FilePath;
  readonly text: string;
  readonly blockId: BlockId | null;
}

/** The files of a folder as blocks: loaded when first needed, written back soon after they change. */
export interface WorkspaceFiles {
  readonly folder: string;
  /** Lists the files whose path begins with `prefix`, in order; `truncated`: the folder has more files than are listed. */
  list(prefix: string): Promise<Result<{ files: readonly WorkspaceFile[]; truncated: boolean }, Refusal>>;
  /** Lists the paths of all files, on disk and as blocks, in order. */
  paths(): Promise<Result<FileList, Refusal>>;
  /** Lists the files that have a block, in order. */
  opened(): Promise<readonly WorkspaceFile[]>;
  /** Returns the block of a file; loads it from disk where needed, and merges what changed there since. */
  open(path: string): Promise<Result<BlockId, Refusal>>;
  /**
   * Like `open`, also for a file that is not text: its block has its place and no text, so that the file can be moved and
   * deleted under the same rules.
   */
  hold(path: string): Promise<Result<BlockId, Refusal>>;
  /** Lists the files below a prefix that have no block yet, each with a number that changes when the file does. */
  unopened(prefix: string): Promise<Result<readonly UnopenedFile[], Refusal>>;
  /** Returns the text on disk of a file that is not open; null where it is not text or does not exist. */
  peek(path: FilePath): Promise<string | null>;
  /** Returns a file's current text without creating a block for it. */
  read(path: string): Promise<Result<FileReading, Refusal>>;
  /** Returns the bytes of a file as they are on disk, of whatever type. */
  bytes(path: string): Promise<Result<FileContent, Refusal>>;
  /** Creates a file with a block of its own, and writes it; FILE_EXISTS where the path is in use. */
  make(author: Author, path: string, text: string): Promise<Result<BlockHeader, Refusal>>;
  /**
   * Writes bytes as a new file, creating missing folders; FILE_EXISTS where the path is in use, unless the file there has the
   * same bytes.
   */
  put(path: string, bytes: Uint8Array): Promise<Result<FilePath, Refusal>>;
  /** Writes a block to its file now. Refused where the disk does not take it; retried later. */
  save(blockId: BlockId): Promise<Result<void, Refusal>>;
  /**
   * Runs other work on the files: writes pending text before it, and merges what it changed on disk under `author`, unless
   * other work changes the files at the same time. `settled` resolves when that is merged. With `seen`, a file is merged
   * with what its author saw of it.
   */
  lend<T>(
    author: () => Promise<Author>,
    work: () => Promise<T>,
    seen?: SeenText,
  ): Promise<{ value: T; settled: Promise<void> }>;
  /**
   * Moves a file to the trash, from the disk too; its block keeps the text. CONFLICT while block and file have changes that
   * cannot be merged, FILE_CHANGED when another program changed the file at that moment.
   */
  delete(author: Author, blockId: BlockId, options?: TrashOptions): Promise<Result<TrashStep, Refusal>>;
  /**
   * Renames a file, on disk too, and creates missing folders. FILE_EXISTS when the new path is in use, also by a file that
   * Heddle has not opened.
   */
  move(
    author: Author,
    blockId: BlockId,
    to: string,
    options?: EditOptions,
  ): Promise<Result<{ readonly version: number; readonly path: FilePath }, Refusal>>;
  /**
   * Restores a file from the trash to where it was. FILE_EXISTS when something has its path now, unless `keepsBoth`: then it
   * comes back beside that, as `name (restored)`.
   */
  restore(author: Author, entry: BlockEntry, options?: RestoreFileOptions): Promise<Result<RestoredFile, Refusal>>;
  /** Writes a file again that was deleted on disk, from its block. */
  bringBack(blockId: BlockId): Promise<Result<void, Refusal>>;
  /** Whether the file of a block was deleted on disk. */
  isGone(header: BlockHeader): boolean;
  /** Returns why no file may be at a path; null where one may. A file that moves may have its own name in another case. */
  whyTaken(path: string, mover?: BlockId): Promise<Refusal | null>;
  isDirty(header: BlockHeader): boolean;
  /** Returns what another program wrote into a file in conflict. CONFLICT where it is in none. */
  conflictingText(blockId: BlockId): Promise<Result<{ readonly theirs: string; readonly hash: FileHash }, Refusal>>;
  /** Resolves a conflict between a block and its file; `seen` is the hash of the file content that was decided about. */
  resolve(author: Author, blockId: BlockId, keep: KeptSide, seen: FileHash): Promise<Result<void, Refusal>>;
  /**
   * Writes pending text, then commits every file that Heddle has written to a branch, as far as possible; see
   * FileTree.commit.
   */
  commit(commit: FileCommit): Promise<Result<CommittedFiles, Refusal>>;
  /** Writes every pending file. Failures are logged and retried later. */
  flush(): Promise<void>;
  /** Writes pending text, and releases everything. */
  close(): Promise<void>;
}

export interface FilesPorts {
  readonly tree: FileTree;
  readonly hub: Pick<DocumentHub, "reader" | "editor" | "deletion" | "comments" | "feeds">;
  readonly store: Store;
  readonly replicas: Replicas;
  readonly blobs: FileBlockPorts["blobs"];
  readonly platform: Platform;
  newDocumentId(): DocumentId;
  /** The folder's id, and which blocks with a path are its files; without it, every block with a path is. */
  readonly folder?: { readonly id: FolderId; owns(header: BlockHeader): boolean };
  /** The branch to which written files are committed now and then; none by default. */
  readonly branch?: string;
}
