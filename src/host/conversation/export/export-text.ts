import { blobIdsOf, exportFrame, portableNode } from "../../../core/forest/export.ts";
import type { PortableBlob, PortableNode } from "../../../core/forest/portable.ts";
import { branchByBranch, levelByLevel } from "../../../core/forest/node-order.ts";
import { ReadableWriter } from "../../../core/forest/readable.ts";
import type { ForestNode, ForestRoot } from "../../../core/forest/types.ts";
import type { BlobStore } from "../../../core/port/blobs.ts";
import type { Store } from "../../../core/port/store.ts";
import type { ModelPrices } from "../../../core/model/prices.ts";
import { spentOn, type SpentParts } from "../../../core/model/spent.ts";
import { exportPieces } from "./export-pieces.ts";
import { inParts, type ExportedNodes } from "./exported-nodes.ts";

/** The file formats of a conversation: JSON that Heddle can import, and two for people. */
export const exportFormats = ["json", "markdown", "text"] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** The content of an export. */
export interface ExportContent {
  readonly nodes: ExportedNodes;
  readonly format: ExportFormat;
  /** Source of the bytes of images and files to include; only JSON has them. */
  readonly blobs?: Pick<BlobStore, "get">;
  /** The prices of a model; null where they are not known. */
  readonly pricesOf: (modelId: string) => ModelPrices | null;
}

/**
 * Writes a conversation, or the part of it in `nodes`, as the text of a file, piece by piece; each is read when it is written.
 * An empty piece is work done.
 */
export async function* exportText(
  store: Store,
  root: ForestRoot,
  { nodes, format, blobs, pricesOf }: ExportContent,
): AsyncGenerator<string, void, undefined> {
  const spent = spentOn(nodes.paid, pricesOf);
  if (format !== "json") {
    const writer = new ReadableWriter({ root, spending: spent }, format);
    const order = yield* branchByBranch(nodes.places);
    yield writer.top();
    for await (const part of inParts(nodes, order)) yield writer.part(part);
    yield writer.end();
    return;
  }
  const bookmarks = await store.bookmarks(root.id);
  const frame = { ...exportFrame({ root, nodes: nodes.places, bookmarks }), spent: spent.total };
  const order = yield* levelByLevel(nodes.places);
  const named = new Set<string>();
  yield* exportPieces({
    frame,
    nodes: namingBlobs(inParts(nodes, order), named),
    portable: (node) => withSpent(node, spent),
    blobs: blobs === undefined ? [] : bytesOf(blobs, named),
  });
}

/** Adds the blobs that the messages name to `named` as they pass. */
async function* namingBlobs(
  parts: AsyncIterable<readonly ForestNode[]>,
  named: Set<string>,
): AsyncGenerator<readonly ForestNode[], void, undefined> {
  for await (const part of parts) {
    for (const id of blobIdsOf(part)) named.add(id);
    yield part;
  }
}

function withSpent(node: ForestNode, { byNode }: SpentParts): PortableNode {
  const spent = byNode.get(node.id);
  return spent === undefined ? portableNode(node) : { ...portableNode(node), spent };
}

/** Yields blobs, skipping missing and damaged ones. */
async function* bytesOf(
  blobs: Pick<BlobStore, "get">,
  named: ReadonlySet<string>,
): AsyncGenerator<PortableBlob, void, undefined> {
  for (const id of named) {
    const read = await blobs.get(id);
    if (read.ok) yield { id, data: Buffer.from(read.value).toString("base64") };
  }
}
