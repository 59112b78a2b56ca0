import { blobIdsIn } from "../message/media-limits.ts";
import type { NodeId } from "../base/ids.ts";
import {
  exportFormat,
  exportVersion,
  type ForestExport,
  type PortableBlob,
  type PortableNode,
  type PortableTreeNode,
} from "./portable.ts";
import type { Bookmark, ForestNode, ForestRoot } from "./types.ts";

/** The selection to export: a root and, of its nodes, a path, a subtree with the path above it, or all. */
export interface ExportWish {
  readonly root: ForestRoot;
  /** Parents before children, beginning with a first message. */
  readonly nodes: readonly ForestNode[];
  /** Bookmarks of the root; those on other nodes are left out. */
  readonly bookmarks: readonly Bookmark[];
  /** Bytes to include, so that images show elsewhere; `blobIdsOf` lists their ids. */
  readonly blobs?: readonly PortableBlob[];
}

/**
 * Builds the export of a conversation from its nodes, parents before children. It contains nothing about the machine, and
 * `readExport` restores it with equal prefix hashes.
 */
export function exportForest(wish: ExportWish): ForestExport {
  const { nodes, blobs } = wish;
  const { bookmarks, ...head } = exportFrame(wish);
  const held = blobs === undefined || blobs.length === 0 ? {} : { blobs };
  return { ...head, nodes: nodes.map(portableNode), bookmarks, ...held };
}

type FrameWish = Omit<ExportWish, "nodes"> & { readonly nodes: readonly Pick<ForestNode, "id">[] };

/** Returns an export without its messages, which may be many, and without bytes. */
export function exportFrame({ root, nodes, bookmarks }: FrameWish): Omit<ForestExport, "nodes" | "blobs"> {
  const own = bookmarks.filter(({ rootId }) => rootId === root.id);
  const marked = new Set(own.map(({ nodeId }) => nodeId));
  const exported = new Set<NodeId | null>([null]);
  if (own.some(({ nodeId }) => nodeId !== null)) for (const { id } of nodes) if (marked.has(id)) exported.add(id);
  return {
    format: exportFormat,
    version: exportVersion,
    root: { title: root.title, systemPrompt: root.systemPrompt, model: root.model },
    bookmarks: own
      .filter(({ nodeId }) => exported.has(nodeId))
      .map(({ title, nodeId, createdAt, updatedAt }) => ({ title, nodeId, createdAt, updatedAt })),
  };
}

/** Returns the blobs that the messages name, each once, in the order of first use. */
export function blobIdsOf(nodes: readonly PortableTreeNode[]): readonly string[] {
  const ids = new Set<string>();
  for (const { message } of nodes) {
    for (const block of message.content) {
      if (block.type === "image" || block.type === "file") for (const id of blobIdsIn(block.source)) ids.add(id);
    }
  }
  return [...ids];
}

/** Writes an export as the text of a file. */
export function exportJson(exported: ForestExport): string {
  return `${JSON.stringify(exported, null, 2)}\n`;
}

/** Returns a message as an export has it: nothing about the machine or its runs. */
export function portableNode(node: ForestNode): PortableNode {
  const { rootId: _root, prefixHash: _hash, runId: _run, turnId: _turn, canvas: _canvas, ...own } = node;
  return own;
}
