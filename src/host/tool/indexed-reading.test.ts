import { expect, test } from "vitest";
import type { BlockId } from "../../core/base/ids.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import type { IndexedText } from "../../core/port/store.ts";
import { header } from "../../testing/store/records.ts";
import { indexedUnitsMax } from "../document/word-index.ts";
import { indexedReading } from "./indexed-reading.ts";

/** Headers of 300 files at version 2, all indexed at it, and a store that counts what it is asked. */
function files(change: (text: IndexedText) => IndexedText = (text) => text) {
  const headers = Array.from({ length: 300 }, (_, index): BlockHeader => header(String(index), 2, { kind: "file" }));
  const asked: number[] = [];
  const store = {
    async indexedTexts(ids: readonly BlockId[]) {
      asked.push(ids.length);
      return ids.map((blockId) => change({ blockId, version: 2, text: `text of ${blockId}` }));
    },
  };
  return { headers, asked, read: indexedReading(headers, store) };
}

test("texts read one after another come with few requests", async () => {
  const { headers, asked, read } = files();
  for (const [index, { id }] of headers.entries()) expect(await read(index)).toBe(`text of ${id}`);
  expect(asked.slice(0, 7)).toEqual([2, 4, 8, 16, 32, 64, 64]);
  expect(asked.length).toBeLessThan(12);
});

test("a search that needs single texts reads these alone", async () => {
  const { asked, read } = files();
  for (const index of [7, 90, 200]) await read(index);
  expect(asked).toEqual([1, 1, 1]);
});

test("a place without a block has no indexed text, and is not asked for", async () => {
  const { headers, asked } = files();
  const store = {
    async indexedTexts(ids: readonly BlockId[]) {
      asked.push(ids.length);
      return ids.map((blockId) => ({ blockId, version: 2, text: `text of ${blockId}` }));
    },
  };
  const read = indexedReading([headers[0], undefined, headers[2]], store);
  expect([await read(1), await read(3)]).toEqual([null, null]);
  expect(asked).toEqual([]);
});

test.each<[string, (text: IndexedText) => IndexedText]>([
  ["older than the block", (text) => ({ ...text, version: 1 })],
  ["newer than the block", (text) => ({ ...text, version: 3 })],
  ["perhaps only the beginning", (text) => ({ ...text, text: "x".repeat(indexedUnitsMax) })],
  ["another block's", (text) => ({ ...text, blockId: "doc_other/1/1" as BlockId })],
])("a text that is %s is not used", async (_name, change) => {
  expect(await files(change).read(0)).toBeNull();
});
