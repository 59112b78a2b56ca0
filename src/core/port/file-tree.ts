import type { Refusal } from "../base/errors.ts";
import type { FilePath } from "../base/file-path.ts";
import type { Result } from "../base/result.ts";

/** A file as it stood on disk at one instant. */
export interface FileContent {
  readonly bytes: Uint8Array;
  readonly hash: FileHash;
}

/** SHA-256 of a file's bytes, 64 hex digits. */
export type FileHash = string;

/** The files that a folder has, for a list. */
export interface FileList {
  /** In order of their UTF-16 units. Ignored files and what cannot be named safely are left out. */
  readonly paths: readonly FilePath[];
  /** Whether there are more. */
  readonly truncated: boolean;
}

/**
 * The files below one folder. Nothing outside it is read or written: links are not followed, files of which there are
 * other names, devices and pipes are refused, and so is a name that another file has in another spelling (PATH_REFUSED).
 * What the disk refuses is FILE_FAILED.
 */
export interface FileTree {
  /** The folder, as people know it. */
  readonly folder: string;
  list(): Promise<Result<FileList, Refusal>>;
  /** null: there is no such file. BLOCK_TOO_LARGE beyond `fileBytesMax`. */
  read(path: FilePath): Promise<Result<FileContent | null, Refusal>>;
  /** A number that is another when the file may be; null: there is no plain file. Cheap, and no proof of anything. */
  stamp(path: FilePath): Promise<number | null>;
  /**
   * Writes a whole file: whoever reads it sees the old content or the new, also after a power cut. Folders are made.
   * Refused with FILE_CHANGED, and nothing written, unless the file has the content that is `expected` (null: none).
   */
  replace(path: FilePath, bytes: Uint8Array, expected: FileHash | null): Promise<Result<FileHash, Refusal>>;
  /** Tells that a file may have changed; more often than it has, and never for good not. */
  watch(path: FilePath, listener: () => void): () => void;
  /**
   * Commits files as they stand on disk to a branch, where the folder is a git work tree; the branch that is checked out,
   * its index and the files stay as they are. Answers the commit, null where nothing differs. PATH_REFUSED, and
   * nothing is committed, where some of the files cannot be in it: `unfitFilesOf` names them. INVALID_PARAMS for a branch
   * that is checked out, in any work tree, CONFLICT when it moved meanwhile, FILE_FAILED with git's own words.
   */
  commit(paths: readonly FilePath[], commit: FileCommit): Promise<Result<string | null, Refusal>>;
  close(): void;
}

/** A commit to be made, on a branch that is not checked out. */
export interface FileCommit {
  /** Such as `heddle/main`; made from what is checked out where there is none yet. */
  readonly branch: string;
  readonly message: string;
  readonly author: { readonly name: string; readonly email: string };
}

/** What a file may hold to be opened as a document. */
export const fileBytesMax = 32 * 1024 * 1024;
