import { expect, test } from "vitest";
import type { BlockId } from "../../core/base/ids.ts";
import type { FilePath } from "../../core/base/file-path.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import type { Reach } from "../access/reach.ts";
import type { FolderParts } from "../files/folder-types.ts";
import { withinReach } from "./folder-within-reach.ts";

const opened = ["mine.md", "theirs.md"].map((path) => ({
  path: path as FilePath,
  blockId: `block of ${path}` as BlockId,
}));

test("a caller who reaches one document of a folder reads its file, and no other is there", async () => {
  const files = {
    opened: async () => opened,
    read: async (path: string) => ({ ok: true, value: path }),
    peek: async (path: string) => path,
  };
  const reach = { document: ({ id }: BlockHeader) => id === "block of mine.md", folder: () => false };
  const store = { block: async (id: BlockId) => ({ id }) as BlockHeader };
  const parts = { files, folder: { id: "folder" }, shell: null } as unknown as FolderParts;
  const narrowed = withinReach(parts, reach as unknown as Reach, store).files;
  expect(await narrowed.opened()).toEqual([opened[0]]);
  expect(await narrowed.read("mine.md")).toEqual({ ok: true, value: "mine.md" });
  expect(await narrowed.read("theirs.md")).toMatchObject({ ok: false, error: { code: "FILE_NOT_FOUND" } });
  expect([await narrowed.peek("mine.md" as FilePath), await narrowed.peek("theirs.md" as FilePath)]).toEqual([
    "mine.md",
    null,
  ]);
});
