import type { BlockId } from "../../core/base/ids.ts";
import { lineCount } from "../../core/base/lines.ts";
import { markdownOutline } from "../../core/block/markdown/outline.ts";
import type { ForestNode } from "../../core/forest/types.ts";
import type { Store } from "../../core/port/store.ts";
import type { SeenDocument } from "../../core/turn/compaction/summary-text.ts";
import type { Reach } from "../access/reach.ts";
import type { BlockReader } from "../document/block-reader.ts";
import { revisionOf, titleOf } from "./canvas-reading.ts";

interface DocumentPorts {
  readonly reader: Pick<BlockReader, "read">;
  readonly store: Pick<Store, "block">;
}

/** Most documents that a summary lists. */
const documentsMax = 20;

/** What a summary may tell of: the conversation's own canvas, and what its turn may know of now; null: everything. */
export interface ToldOf {
  readonly canvasId: BlockId | null;
  readonly reach: Reach | null;
}

/** Returns the canvases that the model of a path has seen, as they are now: the conversation's own, then the latest first. */
export async function seenDocuments(
  { reader, store }: DocumentPorts,
  path: readonly ForestNode[],
  { canvasId, reach }: ToldOf,
): Promise<readonly SeenDocument[]> {
  const ids = new Set<BlockId>();
  for (const { message, canvas, excluded } of path.toReversed()) {
    if (excluded === true) continue;
    if (canvas !== undefined) ids.add(canvas.canvasId);
    if (message.role === "user" && message.update !== undefined) ids.add(message.update.canvasId);
  }
  const own = canvasId !== null && ids.has(canvasId) ? [canvasId] : [];
  const documents: SeenDocument[] = [];
  for (const id of new Set([...own, ...ids])) {
    if (documents.length === documentsMax) break;
    const header = await store.block(id);
    if (header === null || header.deletedAt !== undefined || header.excluded) continue;
    if (reach !== null && !reach.document(header)) continue;
    const reading = await reader.read(id);
    if (!reading.ok) continue;
    const { text } = reading.value;
    documents.push({
      id,
      title: titleOf(reading.value),
      revisionId: revisionOf(reading.value),
      lineCount: lineCount(text),
      headings: markdownOutline(text).sections.map(({ level, title }) => `${"#".repeat(level)} ${title}`),
    });
  }
  return documents;
}
