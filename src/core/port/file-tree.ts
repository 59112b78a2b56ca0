import type { Refusal } from "../base/errors.ts";
import type { FilePath } from "../base/file-path.ts";
import type { Result } from "../base/result.ts";

/** A file as read from disk at one instant. */
export interface FileContent {
  readonly bytes: Uint8Array;
  readonly hash: FileHash;
  /** The permission bits. */
  readonly mode: number;
  /** Tells the file from others of the folder while it exists, also after a rename. */
  readonly inode: number;
}

/** A file that is taken out of the folder in two steps: set aside under a hidden name in its own folder, then removed. */
export interface FileAside {
  readonly path: FilePath;
  /** 12 hex digits, part of the hidden name. */
  readonly key: string;
}

/** SHA-256 of a file's bytes, 64 hex digits. */
export type FileHash = string;

/** The files of a folder, for a list. */
export interface FileList {
  /** Ordered by UTF-16 units. Ignored files and files that cannot be named safely are left out. */
  readonly paths: readonly FilePath[];
  /** Whether the folder has more files than `paths`. */
  readonly truncated: boolean;
}

/**
 * The files below one folder. Nothing outside the folder is read or written: links are not followed; files with several
 * names (hard links), devices and pipes are refused, and so is a name that differs only in spelling from another file's
 * (PATH_REFUSED). Errors of the disk are FILE_FAILED.
 */
export interface FileTree {
  /** The name of the folder for people. */
  readonly folder: string;
  /**
   * Refuses with FOLDER_AWAY when the folder is not at its path, or another folder is. Every other method that reads or
   * writes refuses likewise, so that a missing folder is never taken for an empty one.
   */
  present(): Promise<Result<void, Refusal>>;
  list(): Promise<Result<FileList, Refusal>>;
  /** Resolves to null when the file does not exist. Refuses with BLOCK_TOO_LARGE beyond `fileBytesMax`. */
  read(path: FilePath): Promise<Result<FileContent | null, Refusal>>;
  /**
   * Returns a stamp that changes whenever the file may have changed, or null when there is no plain file. Cheap; an equal
   * stamp is no proof.
   */
  stamp(path: FilePath): Promise<number | null>;
  /**
   * Writes a whole file atomically: a reader sees the old content or the new, also after a power cut. Creates missing
   * folders. Refuses with FILE_CHANGED, and writes nothing, unless the file has the `expected` content (null: it does not
   * exist). A new file gets `mode`, an old one keeps its own.
   */
  replace(
    path: FilePath,
    bytes: Uint8Array,
    expected: FileHash | null,
    mode?: number,
  ): Promise<Result<FileHash, Refusal>>;
  /**
   * Renames a file to the hidden name, and is on disk when it resolves. Refuses with FILE_CHANGED, with the file in its
   * place, unless it has the `expected` content, also right after the rename; with FILE_NOT_FOUND when there is none.
   */
  setAside(aside: FileAside, expected: FileHash): Promise<Result<void, Refusal>>;
  /**
   * Renames a file that was set aside back, beside another file where one has its name now. Resolves to the path that it
   * has; null when nothing is set aside.
   */
  putBack(aside: FileAside): Promise<Result<FilePath | null, Refusal>>;
  /** Removes a file that was set aside; does nothing when there is none. */
  removeAside(aside: FileAside): Promise<Result<void, Refusal>>;
  /**
   * Renames a file, and is on disk when it resolves. Creates missing folders, never overwrites: FILE_EXISTS when the new path
   * is in use, FILE_CHANGED unless the file has the `expected` content, FILE_NOT_FOUND when there is none. A rename that a
   * crash interrupted is finished.
   */
  move(from: FilePath, to: FilePath, expected: FileHash): Promise<Result<void, Refusal>>;
  /** Finds the path of a file that was renamed: same inode, same content; null when no listed file is it. */
  findMoved(file: Pick<FileContent, "hash" | "inode">): Promise<FilePath | null>;
  /**
   * Whether git, as it is configured for the folder now, takes a file for a hook, for settings or for a program that it runs.
   * `path` need not be a valid path.
   */
  isRunByGit(path: string): Promise<boolean>;
  /** Reports that a file may have changed. May report too often, but never misses a change for good. */
  watch(path: FilePath, listener: () => void): () => void;
  /** Reports when the list of files may have changed; some hundred milliseconds after a change, at the latest 10 s. */
  watchList(listener: () => void): () => void;
  /**
   * Commits files as they are on disk to a branch, when the folder is a git work tree; the branch that is checked out, its
   * index and the files do not change. Returns the commit, or null when nothing differs. Refuses with PATH_REFUSED, and
   * commits nothing, when some of the files cannot be committed (`unfitFilesOf` names them); with INVALID_PARAMS when the
   * branch is checked out in any work tree; with CONFLICT when the branch moved meanwhile; with FILE_FAILED and git's own
   * message otherwise.
   */
  commit(paths: readonly FilePath[], commit: FileCommit): Promise<Result<string | null, Refusal>>;
  close(): void;
}

/** A commit to make on a branch that is not checked out. */
export interface FileCommit {
  /** Such as `heddle/main`; created from the checked-out commit when it does not exist. */
  readonly branch: string;
  readonly message: string;
  readonly author: { readonly name: string; readonly email: string };
}

/** The largest file, in bytes, that can be opened as a document. */
export const fileBytesMax = 32 * 1024 * 1024;
