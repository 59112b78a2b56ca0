import type { BlockId, FolderId, RootId, TurnId } from "../../core/base/ids.ts";
import type { BlockChange, BlockHeader } from "../../core/block/types.ts";
import { blockPath } from "../../core/block/list-blocks.ts";
import type { Resource } from "../../core/protocol/base/access.ts";
import type { GrantScope } from "../../core/protocol/base/grant.ts";
import {
  canvasChain,
  conversationChain,
  conversationKey,
  documentKey,
  directoryChain,
  fileChain,
  folderKey,
  folderPathChain,
  workspaceKey,
  type Chain,
  type ObjectKey,
} from "../../core/rights/object-key.ts";

/** What a document's place is read from. */
export type PlacedDocument = Pick<BlockHeader, "id" | "metadata"> & Partial<Pick<BlockHeader, "kind" | "documentId">>;
/** What a conversation's place is read from. */
export interface PlacedConversation {
  readonly id: RootId;
  readonly folderId?: FolderId;
  /** The conversation whose sub-agent it is. */
  readonly parent?: { readonly rootId: RootId };
}

export interface ChainPorts {
  readonly store: {
    root(id: RootId): Promise<(PlacedConversation & { readonly canvasId: BlockId | null }) | null>;
    node(id: never): Promise<{ readonly rootId: RootId } | null>;
    run(id: never): Promise<{ readonly rootId: RootId } | null>;
    thread(id: never): Promise<{
      readonly blockId: BlockId;
      readonly comments?: readonly { readonly actor: { readonly id: string } }[];
    } | null>;
    block(id: never): Promise<PlacedDocument | null>;
    changesOfTurn?(id: TurnId): Promise<readonly Pick<BlockChange, "blockId" | "body">[]>;
  };
  readonly folders: { folderOf(header: BlockHeader): FolderId | null };
}

/**
 * Returns a document with all that it lies in: a file in its folder, a canvas in its folder path. null for a block of a
 * conversation, which is judged as that.
 */
export function chainOfDocument(header: PlacedDocument, folders: ChainPorts["folders"]): Chain | null {
  if (header.kind !== undefined && header.kind !== "file") return null;
  const folderId = folders.folderOf(header as BlockHeader);
  const path = blockPath(header as BlockHeader);
  if (folderId !== null) return fileChain(header.id, { folderId, path: path ?? "" });
  const folderPath = header.metadata["folder_path"];
  return canvasChain(header.id, typeof folderPath === "string" ? folderPath : "");
}

export function chainOfConversation({ id, folderId, parent }: PlacedConversation): Chain {
  return conversationChain(id, folderId ?? null, parent === undefined ? [] : [parent.rootId]);
}

/** Returns the object of a request with all that it lies in; null where there is none. */
export async function chainOf(resource: Resource, { store, folders }: ChainPorts): Promise<Chain | null> {
  const ofRoot = async (id: RootId | undefined): Promise<Chain | null> => {
    const root = id === undefined ? null : await store.root(id);
    if (root === null) return null;
    const [own, ...rest] = chainOfConversation(root);
    // Whoever may not know of a conversation may not know of its sub-agents.
    return root.parent === undefined ? [own, ...rest] : [own, ...((await ofRoot(root.parent.rootId)) ?? [])];
  };
  const ofBlock = async (id: BlockId | undefined): Promise<Chain | null> => {
    const header = id === undefined ? null : await store.block(id as never);
    if (header === null) return null;
    return chainOfDocument(header, folders) ?? ofRoot(header.documentId as string as RootId);
  };
  switch (resource.type) {
    case "conversation":
      return ofRoot(resource.id);
    case "node":
      return ofRoot((await store.node(resource.id as never))?.rootId);
    case "run":
      return ofRoot((await store.run(resource.id as never))?.rootId);
    case "block":
      return ofBlock(resource.id);
    case "thread":
      return ofBlock((await store.thread(resource.id as never))?.blockId);
    case "around": {
      const [, first, ...rest] = (await ofBlock(resource.id)) ?? [];
      return first === undefined ? null : [first, ...rest];
    }
    case "folder":
      return directoryChain(resource.id, resource.path ?? "");
    case "folder-path":
      return folderPathChain(resource.path);
    // Of several objects, or of one that only the request itself names: what may be done anywhere may be done there.
    case "workspace":
    case "turn":
    case "tool":
      return [workspaceKey];
  }
}

/** Returns the objects that a scope names, with the canvases of its conversations. */
export async function keysIn(
  scope: GrantScope,
  store: Pick<ChainPorts["store"], "root">,
): Promise<ReadonlySet<ObjectKey>> {
  const roots = await Promise.all(scope.rootIds.map((id) => store.root(id)));
  const canvasIds = [...scope.canvasIds, ...roots.flatMap((root) => root?.canvasId ?? [])];
  return new Set([
    ...scope.folderIds.map((id) => folderKey(id)),
    ...scope.rootIds.map(conversationKey),
    ...canvasIds.map(documentKey),
  ]);
}
