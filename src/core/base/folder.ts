import type { FolderId } from "./ids.ts";

/**
 * What Heddle and its agents may do in a folder: read its files; also write them; also run commands there. Each right
 * includes those before it.
 */
export const folderRights = ["read", "write", "commands"] as const;
export type FolderRights = (typeof folderRights)[number];

/** A folder of this machine that conversations can work in. Times are UTC milliseconds. */
export interface Folder {
  readonly id: FolderId;
  /** For people; several folders may have the same name. */
  readonly name: string;
  /** The real path on the server's machine. A file is a folder and a path below it. */
  readonly path: string;
  readonly rights: FolderRights;
  /** The branch to which file changes are committed now and then; null: none. */
  readonly branch: string | null;
  /** Whether a person trusts the skills in it; null until a person was asked. */
  readonly trusted: boolean | null;
  readonly createdAt: number;
  /** When a person removed it; its conversations keep it, and adding the same path again brings it back. */
  readonly removedAt: number | null;
}
