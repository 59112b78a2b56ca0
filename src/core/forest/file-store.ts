import type { Actor } from "../base/actor.ts";
import { refusal, type Refusal } from "../base/errors.ts";
import { ok, type Result } from "../base/result.ts";
import { arrange, type Mending } from "./arrange.ts";
import {
  readFileStoreNode,
  readFileStoreRoots,
  type FileStoreBookmark,
  type FileStoreNode,
  type FileStoreRootEntry,
  type ReadEntries,
} from "./file-store-entities.ts";
import type { PortableNode } from "./portable.ts";

/** A file of the legacy store. `name` is its path in the folder. */
export interface StoredFile {
  readonly name: string;
  readonly text: string;
}

/** A problem with one file, or with the node or bookmark in it. */
export interface FileProblem {
  readonly file: string;
  readonly refusal: Refusal;
}

/** A conversation of the legacy store, ready to be imported. */
export interface FileStoreRoot {
  readonly id: string;
  readonly systemPrompt: string | undefined;
  readonly createdAt: number;
  /** Parents before children, siblings in the order of their parent's list. */
  readonly nodes: readonly FileStoreNode[];
}

/** The importable part of a legacy folder, and the problems with the rest. */
export interface FileStoreForest {
  /** Without deleted roots. */
  readonly roots: readonly FileStoreRoot[];
  readonly bookmarks: readonly FileStoreBookmark[];
  /** Files, nodes and bookmarks that are not imported; everything else is. */
  readonly problems: readonly FileProblem[];
  /** Ids of the results inserted for calls whose results that store had lost. */
  readonly mended: readonly string[];
}

/** The files of the folder, not parsed yet. */
export interface FileStoreFolder {
  readonly roots: StoredFile;
  readonly nodes: readonly StoredFile[];
  /** The bookmarks from `readFileStoreBookmarks`, and the file that held them. */
  readonly bookmarks: ReadEntries<FileStoreBookmark> & { readonly file: string };
}

/**
 * Reads the folder of a legacy file store. An unreadable file is reported by name and fails alone, except for the
 * nodes that depend on it, which are reported too. Refused as a whole only when the list of roots cannot be read.
 */
export function readFileStore(folder: FileStoreFolder): Result<FileStoreForest, Refusal> {
  const listed = readFileStoreRoots(folder.roots.text);
  if (!listed.ok)
    return { ok: false, error: { ...listed.error, details: { ...listed.error.details, file: folder.roots.name } } };
  const problems: FileProblem[] = listed.value.problems.map((each) => ({ file: folder.roots.name, refusal: each }));
  const entriesById = new Map(listed.value.entries.map((entry) => [entry.id, entry]));
  const filesById = new Map<string, string>();
  const nodesByRoot = new Map<string, FileStoreNode[]>();
  for (const file of folder.nodes) {
    const read = readFileStoreNode(file.text);
    if (!read.ok) {
      problems.push({ file: file.name, refusal: read.error });
      continue;
    }
    const node = read.value;
    filesById.set(node.id, file.name);
    if (!entriesById.has(node.rootId)) problems.push(noRoot(file.name, node.rootId));
    const siblings = nodesByRoot.get(node.rootId);
    if (siblings === undefined) nodesByRoot.set(node.rootId, [node]);
    else siblings.push(node);
  }
  const mended: string[] = [];
  const roots = [...entriesById.values()]
    .filter((entry) => !entry.deleted)
    .map((entry): FileStoreRoot => {
      const arranged = arrange(inOrder(entry, nodesByRoot.get(entry.id) ?? []), mendedNode);
      for (const id of arranged.mended) mended.push(id);
      for (const { id, refusal: why } of arranged.problems)
        problems.push({ file: filesById.get(id) ?? id, refusal: why });
      return { id: entry.id, systemPrompt: entry.systemPrompt, createdAt: entry.createdAt, nodes: arranged.nodes };
    });
  const { file, entries } = folder.bookmarks;
  for (const each of folder.bookmarks.problems) problems.push({ file, refusal: each });
  const idsByRoot = new Map(roots.map(({ id, nodes }) => [id, new Set(nodes.map((node) => node.id))]));
  const isKept = ({ rootId, nodeId }: FileStoreBookmark): boolean => {
    const ids = idsByRoot.get(rootId);
    return ids !== undefined && (nodeId === null || ids.has(nodeId));
  };
  for (const each of entries) if (!isKept(each)) problems.push(noPlace(file, each));
  return ok({ roots, bookmarks: entries.filter(isKept), problems, mended });
}

/** Converts a node to the form `planImport` needs, with the actor for its source. */
export function portableOf(node: FileStoreNode, actor: Actor): PortableNode {
  const { rootId: _root, childIds: _children, source: _source, ...own } = node;
  return { ...own, actor };
}

function mendedNode({ id, parent, message }: Parameters<Mending<FileStoreNode>>[0]): FileStoreNode {
  const { rootId, createdAt } = parent;
  const source = { type: "tool", toolName: message.tool_name } as const;
  return { id, rootId, parentId: parent.id, childIds: [], message, source, usage: null, createdAt };
}

/** Orders siblings as their parent lists them; unlisted ones follow by age. */
function inOrder(root: FileStoreRootEntry, nodes: readonly FileStoreNode[]): readonly FileStoreNode[] {
  const ranks = new Map([root, ...nodes].flatMap(({ childIds }) => childIds.map((id, rank) => [id, rank] as const)));
  const rankOf = ({ id }: FileStoreNode): number => ranks.get(id) ?? Number.MAX_SAFE_INTEGER;
  return nodes.toSorted((a, b) => rankOf(a) - rankOf(b) || a.createdAt - b.createdAt);
}

function noRoot(file: string, rootId: string): FileProblem {
  const problem = `Its root ${rootId} could not be read.`;
  return { file, refusal: refusal("FILE_STORE_INVALID", { at: "root_id", problem }, problem) };
}

function noPlace(file: string, { title, rootId, nodeId }: FileStoreBookmark): FileProblem {
  const problem = `The bookmark "${title}" is on ${nodeId ?? rootId}, which is not imported.`;
  return { file, refusal: refusal("FILE_STORE_INVALID", { at: "bookmarks", problem }, problem) };
}
