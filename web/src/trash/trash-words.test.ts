import { expect, test } from "vitest";
import type { TrashEntry } from "../../../src/core/forest/trash-entry.ts";
import { entryWords, kindWords } from "./trash-words.ts";

const day = 24 * 60 * 60 * 1000;
const entry = (change: Partial<TrashEntry> = {}): TrashEntry => ({
  id: "trash_1" as TrashEntry["id"],
  object: { type: "canvas", blockId: "doc/1/1" as never },
  title: "Plan",
  by: { type: "person", id: "ada" as never, name: "Ada" },
  at: 0,
  purgeAt: 30 * day,
  ...change,
});

test("an entry says what it is, who deleted it, and how long it can be restored", () => {
  expect(kindWords(entry())).toBe("Canvas");
  const branch = { type: "branch", rootId: "r", nodeId: "n", parentId: null, bookmarks: [] } as never as object;
  expect(kindWords(entry({ object: { ...branch, messages: 1 } as never }))).toBe("1 message");
  expect(kindWords(entry({ object: { ...branch, messages: 3 } as never }))).toBe("3 messages");
  expect(entryWords(entry(), 0)).toMatch(/^deleted by Ada on .+, gone for good in 30 days$/);
  expect(entryWords(entry(), 29.5 * day)).toContain("within a day");
  expect(entryWords(entry(), 31 * day)).toContain("any moment");
  expect(entryWords(entry({ purgeAt: null }), 0)).toContain("kept until you delete it");
});
