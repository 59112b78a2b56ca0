import type { BlockId } from "../../core/base/ids.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import type { StoredTexts } from "../../core/port/searcher.ts";
import type { Store } from "../../core/port/store.ts";
import { indexedUnitsMax } from "../document/word-index.ts";

/** How many texts one request of the store brings at most. */
const atOnceMax = 64;

/**
 * Lets the search's thread read texts of blocks from the word index by itself, where the store has a module for that. At a
 * place without a header, or whose text differs from the stored one, the text is loaded.
 */
export function storedTexts(
  headerAt: (index: number) => BlockHeader | undefined,
  { textModule: module }: Pick<Store, "textModule">,
): StoredTexts | undefined {
  if (module === undefined) return undefined;
  return { module, unitsBelow: indexedUnitsMax, blockAt: (index) => headerAt(index)?.id ?? null };
}

/**
 * Reads the texts of blocks that are searched in order from the word index: many with one request, and without opening a
 * block, which costs a hundred times as much as its text. Returns null for a text that the index does not have whole at the
 * block's version, and at a place without a block.
 */
export function indexedReading(
  headers: readonly (BlockHeader | undefined)[],
  store: Pick<Store, "indexedTexts">,
): (index: number) => Promise<string | null> {
  const read = new Map<BlockId, { readonly version: number; readonly text: string }>();
  /** The first index after those that were read. */
  let next = 0;
  // A search that needs few texts, because its thread has the others, reads few.
  let atOnce = 1;
  return async (index) => {
    const header = headers[index];
    if (header === undefined) return null;
    if (index >= next) {
      atOnce = index === next ? Math.min(atOnce * 2, atOnceMax) : 1;
      next = index + atOnce;
      read.clear();
      const ids = headers.slice(index, next).flatMap((each) => each?.id ?? []);
      for (const { blockId, version, text } of await store.indexedTexts(ids)) read.set(blockId, { version, text });
    }
    const found = read.get(header.id);
    read.delete(header.id);
    return found?.version === header.version && found.text.length < indexedUnitsMax ? found.text : null;
  };
}
