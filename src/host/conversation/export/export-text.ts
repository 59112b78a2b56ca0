import { blobIdsOf, exportFrame, portableNode } from "../../../core/forest/export.ts";
import type { PortableBlob, PortableNode } from "../../../core/forest/portable.ts";
import { readablePieces } from "../../../core/forest/readable.ts";
import type { ForestNode, ForestRoot } from "../../../core/forest/types.ts";
import type { BlobStore } from "../../../core/port/blobs.ts";
import type { Store } from "../../../core/port/store.ts";
import type { ModelPrices } from "../../../core/model/prices.ts";
import { spentOn, type SpentParts } from "../../../core/model/spent.ts";
import { exportPieces } from "./export-pieces.ts";

/** The file formats of a conversation: JSON that Heddle can import, and two for people. */
export const exportFormats = ["json", "markdown", "text"] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** Reads all messages of a conversation, parents before children. */
export async function wholeTree(store: Store, root: ForestRoot): Promise<readonly ForestNode[]> {
  const trees: ForestNode[] = [];
  for (const first of await store.children(root.id, null)) {
    // One by one: a call accepts only so many arguments.
    for (const node of await store.subtree(first.id)) trees.push(node);
  }
  return trees;
}

/** The content of an export. */
export interface ExportContent {
  readonly nodes: readonly ForestNode[];
  readonly format: ExportFormat;
  /** Source of the bytes of images and files to include; only JSON has them. */
  readonly blobs?: Pick<BlobStore, "get">;
  /** The prices of a model; null where they are not known. */
  readonly pricesOf: (modelId: string) => ModelPrices | null;
}

/** Writes a conversation, or the part of it in `nodes`, as the text of a file, piece by piece. */
export async function* exportText(
  store: Store,
  root: ForestRoot,
  { nodes, format, blobs, pricesOf }: ExportContent,
): AsyncGenerator<string, void, undefined> {
  const spent = spentOn(nodes, pricesOf);
  if (format !== "json") {
    yield* readablePieces({ root, nodes, spending: spent }, format);
    return;
  }
  const bookmarks = await store.bookmarks(root.id);
  const frame = { ...exportFrame({ root, nodes, bookmarks }), spent: spent.total };
  const bytes = blobs === undefined ? [] : bytesOf(blobs, nodes);
  yield* exportPieces({ frame, nodes, portable: (node) => withSpent(node, spent), blobs: bytes });
}

function withSpent(node: ForestNode, { byNode }: SpentParts): PortableNode {
  const spent = byNode.get(node.id);
  return spent === undefined ? portableNode(node) : { ...portableNode(node), spent };
}

/** Yields the blobs that the messages name, skipping missing and damaged ones. */
async function* bytesOf(
  blobs: Pick<BlobStore, "get">,
  nodes: readonly ForestNode[],
): AsyncGenerator<PortableBlob, void, undefined> {
  for (const id of blobIdsOf(nodes)) {
    const read = await blobs.get(id);
    if (read.ok) yield { id, data: Buffer.from(read.value).toString("base64") };
  }
}
