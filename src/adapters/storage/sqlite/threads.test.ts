import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { node, nodeId, put, root, rootId } from "../../../testing/store/records.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-threads-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const everything = { words: "tea", in: "messages", rootId: null, limit: 1 } as const;

describe("a slow query", () => {
  test("a slow query delays no commit that is requested after it", async () => {
    const store = await openSqliteStore({ file: join(folder, "heddle.db") });
    const text = "tea ".repeat(5_000_000);
    await store.commit([
      { type: "put-root", root: root("a") },
      { type: "put-node", node: node("1", { message: { role: "user", content: [{ type: "text", text }] } }) },
    ]);
    await store.searchWords(everything);
    const order: string[] = [];
    const search = store.searchWords(everything).then(() => order.push("found"));
    // Long enough for the query to be running, and far shorter than it takes.
    await wait(5);
    const commit = store.commit([put("1", 1)]).then(() => order.push("committed"));
    await Promise.all([search, commit]);
    expect(order).toEqual(["committed", "found"]);
    await store.close();
  });

  test("a long path is read in parts, whole and in order, also beside another", async () => {
    const store = await openSqliteStore({ file: join(folder, "heddle.db") });
    // Ends with a part, and does not.
    const lengths = [1_000, 1_201];
    for (const length of lengths) {
      const path = Array.from({ length }, (_, depth) =>
        node(`${length}-${depth}`, {
          rootId: rootId(String(length)),
          parentId: depth === 0 ? null : nodeId(`${length}-${depth - 1}`),
        }),
      );
      await store.commit([{ type: "put-root", root: root(String(length)) }]);
      await store.commit(path.map((each) => ({ type: "put-node", node: each })));
    }
    const read = await Promise.all(lengths.map((length) => store.path(nodeId(`${length}-${length - 1}`))));
    expect(read.map((path) => path.map(({ id }) => id))).toEqual(
      lengths.map((length) => Array.from({ length }, (_, depth) => nodeId(`${length}-${depth}`))),
    );
    await store.close();
  });

  test("a slow query that is open when the store closes is answered; later requests are refused and no log file remains", async () => {
    const file = join(folder, "heddle.db");
    const store = await openSqliteStore({ file });
    await store.commit([
      { type: "put-root", root: root("a") },
      { type: "put-node", node: node("1") },
    ]);
    await store.outline(null);
    const asked = store.outline(null);
    const closed = store.close();
    await expect(store.commit([put("1", 1)])).rejects.toMatchObject({ name: "StoreClosedError" });
    await expect(store.outline(null)).rejects.toMatchObject({ name: "StoreClosedError" });
    expect(await asked).toHaveLength(1);
    await closed;
    await store.close();
    expect(existsSync(`${file}-wal`)).toBe(false);
  });

  test("a slow query sees every commit that has resolved", async () => {
    const store = await openSqliteStore({ file: join(folder, "heddle.db") });
    await store.commit([{ type: "put-root", root: root("a") }]);
    for (let count = 1; count <= 50; count += 1) {
      await store.commit([{ type: "put-node", node: node(String(count)) }]);
      expect(await store.outline(null)).toHaveLength(count);
    }
    await store.close();
  });
});
