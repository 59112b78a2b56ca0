import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { node, put, root } from "../../../testing/store/records.ts";
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
