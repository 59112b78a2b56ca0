import { describe, expect, test } from "vitest";
import type { StoreWrite } from "../../../core/port/store.ts";
import { freshStore, type OpenStore } from "../../../testing/store/opened-store.ts";
import { blockId, documentId, put, root, rootId } from "../../../testing/store/records.ts";

const mebibyte = 1024 * 1024;

/** The table of pieces, reached behind the store's back. */
interface Pieces {
  /** Counts those of all snapshots. */
  count(): Promise<number>;
  /** Deletes all. */
  lose(): Promise<void>;
}

/** Stores that write long snapshots in pieces. */
export function describeLongSnapshots(open: OpenStore, pieces: Pieces): void {
  const snapshot = (version: number, length: number): StoreWrite => ({
    type: "put-snapshot",
    snapshot: { blockId: blockId("1"), version, bytes: new Uint8Array(length).fill(version) },
  });

  describe("long snapshots", () => {
    const fresh = freshStore(open);
    /** The pieces once nothing is written or deleted any more. */
    const settled = async (count: number): Promise<void> => {
      await expect.poll(() => pieces.count()).toBe(count);
    };

    test("19.4 a keystroke takes effect before a long snapshot that was committed earlier", async () => {
      await fresh.make(put("1", 1), put("2", 1));
      const order: string[] = [];
      const long = fresh.make(snapshot(1, 20 * mebibyte)).then(() => order.push("snapshot"));
      const key = fresh.make(put("2", 2)).then(() => order.push("keystroke"));
      await Promise.all([long, key]);
      expect(order).toEqual(["keystroke", "snapshot"]);
      expect((await fresh.store().snapshot(blockId("1")))?.bytes.length).toBe(20 * mebibyte);
    });

    test("19.4 only the newest snapshot's pieces stay, and none of a short one", async () => {
      await fresh.make(put("1", 1));
      await fresh.make(snapshot(1, 3 * mebibyte));
      await settled(3);
      await fresh.make(snapshot(2, 2 * mebibyte));
      await settled(2);
      await fresh.make(snapshot(1, 4 * mebibyte));
      await settled(2);
      await fresh.make(snapshot(3, 100));
      await settled(0);
    });

    test("19.4 a snapshot that lost a piece while it was written does not replace the one before", async () => {
      await fresh.make(put("1", 1), snapshot(1, 100));
      const torn = fresh.store().commit([snapshot(2, 20 * mebibyte)]);
      const refused = expect(torn).rejects.toThrow("a snapshot that is named is whole");
      await expect.poll(() => pieces.count(), { interval: 1 }).toBeGreaterThan(0);
      await pieces.lose();
      await refused;
      expect(await fresh.store().snapshot(blockId("1"))).toMatchObject({ version: 1 });
      await settled(0);
    });

    test("19.4 a deleted conversation and a purged block leave no piece", async () => {
      await fresh.make({ type: "put-root", root: root("a") }, put("1", 1));
      await fresh.make(snapshot(1, 2 * mebibyte));
      await fresh.make({ type: "delete-root", rootId: rootId("a"), documentId: documentId("a"), at: 1 });
      await settled(0);
      const gone = { header: { deletedAt: 1 } };
      await fresh.make(put("1", 1, gone));
      await fresh.make(snapshot(1, 2 * mebibyte));
      await settled(2);
      await fresh.make({ type: "purge-block", blockId: blockId("1"), version: 1 });
      await settled(0);
    });
  });
}
