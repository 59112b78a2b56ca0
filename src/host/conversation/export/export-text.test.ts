import { expect, test } from "vitest";
import { openMemoryStore } from "../../../adapters/storage/memory/open-memory-store.ts";
import type { NodeId } from "../../../core/base/ids.ts";
import * as records from "../../../testing/store/records.ts";
import { wholeTree } from "./export-text.ts";

test("exportText reads a conversation of any length whole", async () => {
  const first = records.node("1");
  const many = Array.from({ length: 300_000 }, (_, index) => ({ ...first, id: `n${index}` as NodeId }));
  const store = { ...openMemoryStore(), children: async () => [first], subtree: async () => many };
  expect(await wholeTree(store, records.root("1"))).toHaveLength(300_000);
});
