import type { BlockId, FolderId, RootId } from "../../core/base/ids.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import type { Store } from "../../core/port/store.ts";
import type { GrantScope } from "../../core/protocol/base/grant.ts";

/** Which documents and conversations a caller may know of. */
export interface Reach {
  document(header: Pick<BlockHeader, "id" | "metadata">): boolean;
  conversation(root: { readonly id: RootId; readonly folderId?: FolderId }): boolean;
}

interface ReachPorts {
  readonly store: Pick<Store, "root">;
  readonly folders: { folderOf(header: BlockHeader): FolderId | null };
}

/** Returns what a scope reaches now: its conversations' canvases count too. */
export async function reachOf(scope: GrantScope, { store, folders }: ReachPorts): Promise<Reach> {
  const roots = await Promise.all(scope.rootIds.map((id) => store.root(id)));
  const canvases = new Set<BlockId>([...scope.canvasIds, ...roots.flatMap((root) => root?.canvasId ?? [])]);
  const rootIds = new Set(scope.rootIds);
  const folderIds = new Set(scope.folderIds);
  return {
    document: (header) => {
      if (canvases.has(header.id)) return true;
      const folder = folders.folderOf(header as BlockHeader);
      return folder !== null && folderIds.has(folder);
    },
    conversation: ({ id, folderId }) => rootIds.has(id) || (folderId !== undefined && folderIds.has(folderId)),
  };
}
