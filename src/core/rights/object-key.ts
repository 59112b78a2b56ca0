import type { Brand } from "../base/brand.ts";
import type { BlockId, FolderId, RootId } from "../base/ids.ts";

/** An object that people are given roles on, as one word: `workspace`, `folder:…`, `document:…`, `conversation:…`. */
export type ObjectKey = Brand<string, "ObjectKey">;

/** An object and all that it lies in, the object first, the workspace last. */
export type Chain = readonly [ObjectKey, ...ObjectKey[]];

export const workspaceKey = "workspace" as ObjectKey;

/** A folder of the machine, or a folder path below it (`src/core`). */
export const folderKey = (id: FolderId, path = ""): ObjectKey =>
  (path === "" ? `folder:${id}` : `folder:${id}/${path}`) as ObjectKey;
/** A folder path of canvases, such as `Plans/2026`. */
export const folderPathKey = (path: string): ObjectKey => `folder:/${path}` as ObjectKey;
export const documentKey = (id: BlockId): ObjectKey => `document:${id}` as ObjectKey;
export const conversationKey = (id: RootId): ObjectKey => `conversation:${id}` as ObjectKey;

/** Returns a canvas with the folder paths that it lies in; the path is empty at the top. */
export function canvasChain(id: BlockId, folderPath: string): Chain {
  return [documentKey(id), ...folderPathChain(folderPath)];
}

/** Returns a folder path with the ones above it; for the empty one the workspace alone. */
export function folderPathChain(path: string): Chain {
  return below(pathsUp(path).map(folderPathKey));
}

/** Returns a file with the directories and the folder that it lies in; `path` is below the folder. */
export function fileChain(id: BlockId, file: { readonly folderId: FolderId; readonly path: string }): Chain {
  return [documentKey(id), ...directoryChain(file.folderId, directoryOf(file.path))];
}

/** Returns a directory of a folder with those above it; for the empty path the folder. */
export function directoryChain(id: FolderId, path: string): Chain {
  return below([...pathsUp(path).map((each) => folderKey(id, each)), folderKey(id)]);
}

/** Returns a conversation with those whose sub-agent it is, the nearest first, and the folder that it works in, if any. */
export function conversationChain(id: RootId, folderId: FolderId | null, parents: readonly RootId[] = []): Chain {
  const above = parents.map(conversationKey);
  return [conversationKey(id), ...above, ...(folderId === null ? [] : [folderKey(folderId)]), workspaceKey];
}

function below(keys: readonly ObjectKey[]): Chain {
  const [first, ...rest] = keys;
  return first === undefined ? [workspaceKey] : [first, ...rest, workspaceKey];
}

function directoryOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** Returns a path and the ones above it, the longest first; none for the empty one. */
function pathsUp(path: string): readonly string[] {
  if (path === "") return [];
  const names = path.split("/");
  return names.map((_name, index) => names.slice(0, names.length - index).join("/"));
}
