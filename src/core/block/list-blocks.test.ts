import { expect, test } from "vitest";
import type { BlockId, DocumentId } from "../base/ids.ts";
import { listBlocks, type BlockFilter } from "./list-blocks.ts";
import type { BlockHeader } from "./types.ts";

function header(id: string, parentId: string | null, rest: Partial<BlockHeader> = {}): BlockHeader {
  return {
    id: id as BlockId,
    documentId: "doc" as DocumentId,
    parentId: parentId as BlockId | null,
    role: "user",
    kind: "text",
    status: "done",
    version: 1,
    metadata: {},
    collapsed: false,
    excluded: false,
    createdAt: 0,
    updatedAt: 0,
    ...rest,
  };
}

const headers = [
  header("a", null),
  header("b", "a", { kind: "file", metadata: { path: "src/b.ts" } }),
  header("c", "b", { kind: "file", status: "running", metadata: { path: "docs/c.md" } }),
  header("d", "c", { metadata: { path: "src/d.ts" } }),
  header("f", "gone"),
  header("g", "f"),
  header("e", null, { kind: "file", metadata: { path: "src/e.ts" } }),
];

function listed(filter: BlockFilter): string {
  const result = listBlocks(headers, filter);
  return result.ok ? result.value.map(({ id }) => id).join("") : result.error.code;
}

const a = "a" as BlockId;

test.each<readonly [name: string, filter: BlockFilter, expected: string]>([
  ["B-21 a parent's own children by default", { parentId: a }, "b"],
  ["B-21 grandchildren at depth 2", { parentId: a, depth: 2 }, "bc"],
  ["B-21 all descendants at a large depth", { parentId: a, depth: 9 }, "bcd"],
  ["all without a parent", {}, "abcdfge"],
  ["the top blocks at depth 1, including the child of a deleted block", { depth: 1 }, "afe"],
  ["two levels from the top at depth 2", { depth: 2 }, "abfge"],
  ["B-22 a kind", { kind: "file" }, "bce"],
  ["B-22 a kind and a status", { kind: "file", status: "running" }, "c"],
  ["B-22 a path prefix, which only files have", { pathPrefix: "src/" }, "be"],
  ["B-22 all filters at once", { parentId: a, depth: 9, kind: "file", status: "done", pathPrefix: "src/" }, "b"],
  ["B-21 an unknown parent", { parentId: "z" as BlockId }, "BLOCK_NOT_FOUND"],
])("%s", (_name, filter, expected) => {
  expect(listed(filter)).toBe(expected);
});
