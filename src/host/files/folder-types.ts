import type { Refusal } from "../../core/base/errors.ts";
import type { Folder, FolderRights } from "../../core/base/folder.ts";
import type { FolderId } from "../../core/base/ids.ts";
import type { Result } from "../../core/base/result.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import type { FileTree } from "../../core/port/file-tree.ts";
import type { Shell } from "../../core/port/shell.ts";
import type { Remember } from "../base/once.ts";
import type { WorkspaceFiles } from "./workspace-files-types.ts";

/** A folder of this machine with its parts. */
export interface OpenedFolder {
  readonly tree: FileTree;
  /** Runs commands in the folder; null when the owner has switched commands off. */
  readonly shell: Shell | null;
}

/** Opens folders of this machine. */
export interface FolderOpener {
  /** Hosts that commands may connect to; null when no commands are run anywhere. */
  readonly hosts: readonly string[] | null;
  /**
   * Opens an existing folder by an absolute path. Refuses with FILE_FAILED what is no folder, and with FORBIDDEN a folder
   * in which agents could reach Heddle's own data.
   */
  open(path: string): Promise<Result<OpenedFolder, Refusal>>;
}

/** A folder as people see it. */
export interface FolderState extends Folder {
  /** Why the folder cannot be used now; null: it can. */
  readonly away: string | null;
  /** Whether conversations begin in it when nothing else is said. */
  readonly isDefault: boolean;
}

/** A folder to add. */
export interface NewFolder {
  /** Absolute. */
  readonly path: string;
  /** Default: the last name of the path. */
  readonly name?: string;
  /** Default: everything the server allows. */
  readonly rights?: FolderRights;
  readonly branch?: string | null;
}

/** What a person may change about a folder. */
type FolderChange = Partial<Pick<Folder, "name" | "rights" | "branch" | "trusted">>;

/** The parts of a folder that tools work with. */
export interface FolderParts {
  readonly folder: Folder;
  readonly files: WorkspaceFiles;
  /** null when the rights of the folder, or the owner, allow no commands. */
  readonly shell: Shell | null;
}

/** Which tools the conversations of a folder have. */
export interface FolderOffer {
  readonly files: boolean;
  readonly writes: boolean;
  readonly shell: boolean;
  readonly hosts: readonly string[];
}

/** The folders as tools reach them. */
export interface ToolFolders {
  /** Returns which tools a conversation of the folder has; null: of no folder. */
  offer(folderId: FolderId | null): FolderOffer;
  /** Returns which tools the conversations of any folder have. */
  offerAnywhere(): FolderOffer;
  /** Returns a folder to work in. FOLDER_AWAY when it is not at its path or was removed. */
  use(folderId: FolderId): Promise<Result<FolderParts, Refusal>>;
  /** Returns the folder of a file block; null for a block that belongs to no folder. */
  folderOf(header: BlockHeader): FolderId | null;
  /** Whether git, as any of the folders is configured, takes a file of this path for a hook, settings or a program. */
  isRunByGit(path: string): Promise<boolean>;
  /** Whether a block has text that is not in its file yet. */
  isDirty(header: BlockHeader): boolean;
}

/** The folders of this machine that conversations can work in. */
export interface Folders extends ToolFolders {
  /** The folder that conversations begin in when nothing else is said; null without one. */
  readonly defaultId: FolderId | null;
  /** Whether further folders can be opened. */
  readonly canAdd: boolean;
  /** Lists the folders that were not removed, in the order in which they were added. */
  list(): readonly FolderState[];
  get(folderId: FolderId): FolderState | null;
  /** Returns the files of a folder without checking that it is there; null when it was not opened yet or was removed. */
  filesOf(folderId: FolderId): WorkspaceFiles | null;
  /**
   * Adds a folder, brings a removed one back, or returns the one with this path. Opens it again when another folder is at
   * the path of a known one: the person says that it is the same.
   */
  add(folder: NewFolder, remember?: Remember<{ readonly folderId: FolderId }>): Promise<Result<FolderState, Refusal>>;
  change(folderId: FolderId, change: FolderChange, remember?: Remember<object>): Promise<Result<void, Refusal>>;
  /** Forgets a folder. Its files stay on disk; its conversations can be read, and go on when it is added again. */
  remove(folderId: FolderId, remember?: Remember<object>): Promise<Result<void, Refusal>>;
  /** Notifies when a folder was added, changed, removed, went away or came back. */
  onChanged(listener: () => void): () => void;
  /** Notifies when the list of a folder's files changed. Folders are watched while anyone listens. */
  onFilesChanged(listener: (folderId: FolderId) => void): () => void;
  /** Writes every pending file of every folder. */
  flush(): Promise<void>;
  close(): Promise<void>;
}
