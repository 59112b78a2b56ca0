import type { ListView } from "../../../src/client/base/types.ts";
import type { FolderId } from "../../../src/core/base/ids.ts";
import type { CanvasFolder, CanvasSummary } from "../../../src/core/forest/list.ts";
import type { FolderView } from "../../../src/core/protocol/base/messages.ts";
import type { CommandAnswer, ListedFile } from "../../../src/core/protocol/commands.ts";
import { nameAndFolder } from "../files/file-words.ts";

/** One line of the tree of documents. */
export type DocumentRow = { readonly key: string; readonly level: number } & (
  | { readonly type: "canvas"; readonly canvas: CanvasSummary }
  | { readonly type: "file"; readonly folderId: FolderId; readonly file: ListedFile; readonly title: string }
  /** A document folder; `path` is its folder path. */
  | {
      readonly type: "folder";
      readonly path: string;
      readonly title: string;
      readonly open: boolean;
      readonly count: number;
    }
  /** A folder of the machine. */
  | { readonly type: "disk"; readonly folder: FolderView; readonly open: boolean }
  /** A folder of files in one. */
  | {
      readonly type: "directory";
      readonly folderId: FolderId;
      readonly path: string;
      readonly title: string;
      readonly open: boolean;
    }
  | { readonly type: "archive"; readonly open: boolean; readonly count: number }
  /** Canvases that are not fetched yet: `have` of a folder are. */
  | { readonly type: "more"; readonly of: string; readonly have: number }
  | { readonly type: "note"; readonly words: string }
);

/** A row that people open, name, move and delete. */
export type Document = Extract<DocumentRow, { readonly type: "canvas" | "file" }>;

export interface DocumentTree {
  readonly folders: readonly CanvasFolder[];
  /** The fetched canvases by folder path; `archivePath` has those in the archive, `foundPath` those that a filter found. */
  readonly canvasesByPath: ReadonlyMap<string, ListView<CanvasSummary>>;
  /** What a person opened or closed, by key. */
  readonly toggled: ReadonlyMap<string, boolean>;
  readonly disks: readonly FolderView[];
  /** The folder of the machine whose files are listed. */
  readonly diskId: FolderId | null;
  readonly listing: CommandAnswer<"file.list"> | null;
  /** With a filter the tree is a list of what was found. */
  readonly filtering: boolean;
}

/** No folder path has these: a name in a path is never blank. */
export const archivePath = "/archive";
export const foundPath = "/found";

/** A folder of the machine with at most so many files opens with all its folders open. */
const openFilesMax = 40;

export const folderKey = (path: string): string => `folder ${path}`;
const diskKey = (id: FolderId): string => `disk ${id}`;
const directoryKey = (id: FolderId, path: string): string => `disk ${id} ${path}`;
export const fileKey = (id: FolderId, path: string): string => `file ${id} ${path}`;
export const archiveKey = "archive";

/** Returns the rows in display order. */
export function documentRows(tree: DocumentTree): readonly DocumentRow[] {
  const rows: DocumentRow[] = [];
  if (tree.filtering) {
    addCanvases(rows, tree, foundPath, 1);
    addFound(rows, tree);
    if (rows.length === 0)
      rows.push({ type: "note", key: "none", level: 1, words: "No document has these words in its name." });
    return rows;
  }
  addFolder(rows, tree, "", 1);
  for (const folder of tree.disks) addDisk(rows, tree, folder);
  const archived = tree.canvasesByPath.get(archivePath)?.total ?? 0;
  if (archived > 0) {
    const open = tree.toggled.get(archiveKey) ?? false;
    rows.push({ type: "archive", key: archiveKey, level: 1, open, count: archived });
    if (open) addCanvases(rows, tree, archivePath, 2);
  }
  return rows;
}

/** Adds what is in a document folder: its folders, then its canvases. */
function addFolder(rows: DocumentRow[], tree: DocumentTree, path: string, level: number): void {
  for (const { id, title, count } of tree.folders) {
    if (parentPath(id) !== path) continue;
    const key = folderKey(id);
    const open = tree.toggled.get(key) ?? false;
    rows.push({ type: "folder", key, level, path: id, title, open, count });
    if (open) addFolder(rows, tree, id, level + 1);
  }
  addCanvases(rows, tree, path, level);
}

function addCanvases(rows: DocumentRow[], { canvasesByPath }: DocumentTree, path: string, level: number): void {
  const list = canvasesByPath.get(path);
  if (list === undefined) return;
  for (const canvas of list.entries) rows.push({ type: "canvas", key: canvas.id, level, canvas });
  const have = list.entries.length;
  if (list.total > have) rows.push({ type: "more", key: `more ${path}`, level, of: path, have });
}

function addDisk(rows: DocumentRow[], tree: DocumentTree, folder: FolderView): void {
  const { diskId, listing, toggled } = tree;
  const key = diskKey(folder.id);
  // The files of one folder are listed at a time.
  const open = folder.id === diskId && (toggled.get(key) ?? true);
  rows.push({ type: "disk", key, level: 1, folder, open });
  if (!open) return;
  const note = (words: string): void => void rows.push({ type: "note", key: `${key} note`, level: 2, words });
  if (folder.away !== null) {
    return note(`This folder is away: ${folder.away}. Nothing is read or written there until it is back.`);
  }
  if (listing === null || listing.folderId !== folder.id) return;
  if (listing.files.length === 0) note("The folder has no files yet.");
  const isSmall = listing.files.length <= openFilesMax;
  addFiles(rows, { folderId: folder.id, toggled, isSmall }, listing.files, { prefix: "", level: 2 });
  if (listing.truncated) note("There are more files. Type part of a name above to find one.");
}

interface DiskFiles {
  readonly folderId: FolderId;
  readonly toggled: ReadonlyMap<string, boolean>;
  /** Whether its folders are open at first. */
  readonly isSmall: boolean;
}

/** Adds files below a prefix: folders first, by name. */
function addFiles(
  rows: DocumentRow[],
  disk: DiskFiles,
  files: readonly ListedFile[],
  { prefix, level }: { readonly prefix: string; readonly level: number },
): void {
  const { folderId, toggled, isSmall } = disk;
  const inside = Map.groupBy(files, ({ path }) => {
    const at = path.indexOf("/", prefix.length);
    return at === -1 ? "" : path.slice(prefix.length, at);
  });
  const own = inside.get("") ?? [];
  for (const [title, below] of [...inside].toSorted(([a], [b]) => byName(a, b))) {
    if (title === "") continue;
    const path = `${prefix}${title}`;
    const key = directoryKey(folderId, path);
    const open = toggled.get(key) ?? isSmall;
    rows.push({ type: "directory", key, level, folderId, path, title, open });
    if (open) addFiles(rows, disk, below, { prefix: `${path}/`, level: level + 1 });
  }
  for (const file of own.toSorted((a, b) => byName(a.path, b.path))) {
    rows.push({
      type: "file",
      key: fileKey(folderId, file.path),
      level,
      folderId,
      file,
      title: nameAndFolder(file.path).name,
    });
  }
}

/** The found files, in one list with their paths. */
function addFound(rows: DocumentRow[], { listing }: DocumentTree): void {
  const folderId = listing?.folderId ?? null;
  if (listing === null || folderId === null) return;
  for (const file of listing.files)
    rows.push({ type: "file", key: fileKey(folderId, file.path), level: 1, folderId, file, title: file.path });
}

function byName(a: string, b: string): number {
  return a.localeCompare(b, undefined, { numeric: true, sensitivity: "base" });
}

/** Returns the folder path around a folder path; empty for one at the top. */
export function parentPath(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** Returns the keys that must be open so that a document is in the tree. */
export function keysAround(
  at: { readonly folderPath: string } | { readonly folderId: FolderId; readonly path: string },
): readonly string[] {
  if ("folderPath" in at) return pathsTo(at.folderPath).map(folderKey);
  return [diskKey(at.folderId), ...pathsTo(parentPath(at.path)).map((path) => directoryKey(at.folderId, path))];
}

function pathsTo(path: string): readonly string[] {
  if (path === "") return [];
  const names = path.split("/");
  return names.map((_name, index) => names.slice(0, index + 1).join("/"));
}
