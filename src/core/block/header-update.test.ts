import { expect, test } from "vitest";
import type { BlockId, DocumentId } from "../base/ids.ts";
import type { Json } from "../base/json.ts";
import { planHeaderUpdate, type HeaderWish } from "./header-update.ts";
import type { BlockHeader } from "./types.ts";

const header: BlockHeader = {
  id: "doc/1/0" as BlockId,
  documentId: "doc" as DocumentId,
  parentId: null,
  role: "user",
  kind: "file",
  status: "done",
  version: 3,
  metadata: { title: "T", path: "a.md", empty: null, after: "doc/1/9", constructor: null },
  collapsed: true,
  excluded: false,
  createdAt: 0,
  updatedAt: 0,
};
const { metadata } = header;

test.each<readonly [name: string, wish: HeaderWish, expected: unknown]>([
  ["nothing is requested", {}, []],
  ["the requested values are already set", { collapsed: true, excluded: false, metadata: { title: "T" } }, []],
  ["a flag is set and the other stays", { excluded: true }, [{ type: "flags", collapsed: true, excluded: true }]],
  ["a field is set", { metadata: { title: "U" } }, [{ type: "metadata", metadata: { ...metadata, title: "U" } }]],
  [
    "a field is removed by null",
    { metadata: { title: null } },
    [{ type: "metadata", metadata: { path: "a.md", empty: null, after: "doc/1/9", constructor: null } }],
  ],
  [
    "flags and metadata are requested",
    { collapsed: false, metadata: { own: 1 } },
    [
      { type: "flags", collapsed: false, excluded: false },
      { type: "metadata", metadata: { ...metadata, own: 1 } },
    ],
  ],
  ["a block is to get another place", { metadata: { after: "doc/1/1" } }, "INVALID_PARAMS"],
])("when %s", (_name, wish, expected) => {
  const planned = planHeaderUpdate(header, wish);
  expect(planned.ok ? planned.value : planned.error.code).toEqual(expected);
});

const untitled: BlockHeader = { ...header, metadata: {} };
const other: BlockHeader = { ...header, kind: "text" };
const taken = ["ok", undefined];
const stays = ["INVALID_PARAMS", "metadata.path"];

test.each<readonly [name: string, header: BlockHeader, path: Json, expected: unknown]>([
  ["a file keeps its path", header, "a.md", taken],
  ["a file is to get another path", header, "b.md", stays],
  ["a file is to get a path outside the folder", header, "../a.md", stays],
  ["a file's path is to be removed", header, null, stays],
  ["a file's path is to become a number", header, 5, stays],
  ["a file without a path is to get one", untitled, "a.md", stays],
  ["a block that is not a file is to get a path", other, "b.md", taken],
])("when %s", (_name, block, path, expected) => {
  const planned = planHeaderUpdate(block, { metadata: { path } });
  const { code, details = {} } = planned.ok ? { code: "ok" } : planned.error;
  expect([code, details["path"]]).toEqual(expected);
});
