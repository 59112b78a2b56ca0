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
export function exportForest({ root, nodes, bookmarks, blobs }: ExportWish): ForestExport {
  const ids = new Set<NodeId>(nodes.map((node) => node.id));
  return {
    format: exportFormat,
    version: exportVersion,
    root: { title: root.title, systemPrompt: root.systemPrompt, model: root.model },
    nodes: nodes.map(portable),
    bookmarks: bookmarks
      .filter(({ rootId, nodeId }) => rootId === root.id && (nodeId === null || ids.has(nodeId)))
      .map(({ title, nodeId, createdAt, updatedAt }) => ({ title, nodeId, createdAt, updatedAt })),
    ...(blobs === undefined || blobs.length === 0 ? {} : { blobs }),
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

function portable(node: ForestNode): PortableNode {
  const { rootId: _root, prefixHash: _hash, runId: _run, turnId: _turn, canvas: _canvas, ...own } = node;
  return own;
}
