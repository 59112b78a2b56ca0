import { describe, expect, test } from "vitest";
import { folder, folderId, root, rootId } from "./records.ts";
import { freshStore, type OpenStore } from "./opened-store.ts";

/** Folders, and the folder of a conversation. */
export function describeFolders(open: OpenStore): void {
  describe("folders", () => {
    const fresh = freshStore(open);

    test("14.11 folders are listed in the order in which they were added, also when they change", async () => {
      const first = folder("b", { name: "Zebra 😀", path: "/home/a b/ü", branch: "heddle/main" });
      const second = folder("a", { rights: "read", trusted: true });
      expect(await fresh.store().folders()).toEqual([]);
      await fresh.make({ type: "put-folder", folder: first }, { type: "put-folder", folder: second });
      expect(await fresh.store().folders()).toEqual([first, second]);
      const changed = { ...first, name: "Other", rights: "write", trusted: false, branch: null, removedAt: 9 } as const;
      await fresh.make({ type: "put-folder", folder: changed });
      expect(await fresh.store().folders()).toEqual([changed, second]);
      if (fresh.canReopen()) expect(await (await fresh.reopened()).folders()).toEqual([changed, second]);
    });

    test("14.11 a conversation keeps its folder, or none", async () => {
      const own = root("a", { folderId: folderId("a") });
      await fresh.make({ type: "put-root", root: own }, { type: "put-root", root: root("b") });
      await fresh.make({ type: "put-root", root: { ...own, title: "Other" } });
      expect(await fresh.store().root(rootId("a"))).toEqual({ ...own, title: "Other" });
      expect(await fresh.store().root(rootId("b"))).toEqual(root("b"));
      const store = fresh.canReopen() ? await fresh.reopened() : fresh.store();
      expect((await store.roots()).map((each) => each.folderId)).toEqual([folderId("a"), undefined]);
    });
  });
}
