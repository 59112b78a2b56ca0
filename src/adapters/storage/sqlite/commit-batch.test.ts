import { mkdtempSync, rmSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { StoreWrite } from "../../../core/port/store.ts";
import { blockId, put } from "../../../testing/store/records.ts";
import { commitBatch } from "./commit-batch.ts";
import { openDatabase } from "./open-database.ts";
import { read } from "./reads.ts";
import { encodeWrite } from "./row-write.ts";
import { Statements } from "../row/sql.ts";
import type { CommitRequest } from "./wire.ts";

let folder: string;
let database: DatabaseSync;
let statements: Statements;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-batch-"));
  database = openDatabase(join(folder, "heddle.db"));
  statements = new Statements(database);
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

function commit(id: number, ...writes: readonly StoreWrite[]): CommitRequest {
  return { type: "commit", id, writes: writes.map(encodeWrite) };
}

function large(name: string, version: number): StoreWrite {
  const body = { type: "text", update: new Uint8Array(200_000).fill(1), spans: [], unit: { id: "u" } } as const;
  return put(name, version, { change: { body } });
}

function allow(pages: number): void {
  const now = statements.number("PRAGMA page_count", []) ?? 0;
  database.exec(`PRAGMA max_page_count = ${now + pages}`);
}

const blocks = () => statements.number("SELECT count(*) FROM blocks", []);

describe("a batch of commits", () => {
  test("a batch is one transaction whose commits see each other in order, each answered by its id", () => {
    const answers = commitBatch(database, statements, [
      commit(5, put("1", 1)),
      commit(6, put("1", 1)),
      commit(7, put("1", 2)),
      commit(8),
    ]);
    expect(answers).toEqual([
      { type: "committed", id: 5 },
      { type: "refused", id: 6, refusal: { code: "CONFLICT", index: 0, stored: 1 } },
      { type: "committed", id: 7 },
      { type: "committed", id: 8 },
    ]);
    expect(database.isTransaction).toBe(false);
  });

  test("a batch keeps nothing of a commit that is refused midway, and all commits around it", () => {
    const answers = commitBatch(database, statements, [
      commit(1, put("1", 1)),
      commit(2, put("2", 1), put("1", 9)),
      commit(3, put("3", 1)),
    ]);
    expect(answers.map((answer) => answer.type)).toEqual(["committed", "refused", "committed"]);
    expect(statements.all("SELECT id FROM blocks ORDER BY id", [])).toEqual([[blockId("1")], [blockId("3")]]);
  });

  test("a batch of refused commits writes nothing", () => {
    const answers = commitBatch(database, statements, [commit(1, put("1", 4)), commit(2, put("1", 1), put("1", 1))]);
    expect(answers.map((answer) => answer.type)).toEqual(["refused", "refused"]);
    expect(database.isTransaction).toBe(false);
    expect(blocks()).toBe(0);
  });

  test("a batch on a full disk is refused completely, and later commits succeed when space is free again", () => {
    commitBatch(database, statements, [commit(1, put("1", 1), put("2", 1))]);
    allow(10);
    const answers = commitBatch(database, statements, [commit(2, put("3", 1)), commit(3, large("1", 2))]);
    expect(answers.at(-1)).toMatchObject({ type: "refused", refusal: { code: "STORE_FULL" } });
    expect(database.isTransaction).toBe(false);
    expect(statements.number("SELECT version FROM blocks WHERE id = ?1", [blockId("1")])).toBe(1);
    expect(blocks()).toBe(answers[0]?.type === "committed" ? 3 : 2);
    allow(1_000);
    const again = commitBatch(database, statements, [commit(4, large("1", 2))]);
    expect(again).toEqual([{ type: "committed", id: 4 }]);
  });

  test("a batch whose transaction fails refuses all commits, including those refused for another reason", () => {
    commitBatch(database, statements, [commit(1, put("1", 1))]);
    const other = openDatabase(join(folder, "heddle.db"));
    other.exec("BEGIN IMMEDIATE");
    database.exec("PRAGMA busy_timeout = 10");
    const answers = commitBatch(database, statements, [commit(2, put("1", 2)), commit(3, put("1", 9), put("1", 3))]);
    expect(answers).toMatchObject([
      { type: "refused", id: 2, refusal: { code: "STORE_FAILED", index: 1 } },
      { type: "refused", id: 3, refusal: { code: "STORE_FAILED", index: 2 } },
    ]);
    other.exec("ROLLBACK");
    other.close();
    expect(commitBatch(database, statements, [commit(4, put("1", 2))])).toEqual([{ type: "committed", id: 4 }]);
  });
});

test("a text change is stored with the block's new place when the block's creation was rolled back and repeated", () => {
  const made = (...writes: readonly StoreWrite[]) => commitBatch(database, statements, [commit(1, ...writes)])[0]?.type;
  expect(made(put("1", 1), put("1", 2), put("3", 9))).toBe("refused");
  expect(made(put("2", 1), put("1", 1), put("1", 2))).toBe("committed");
  const versions = (name: string) => read(statements, "changes", [blockId(name), 0]).map((row) => row[2]);
  expect(versions("1")).toEqual([1, 2]);
  expect(versions("2")).toEqual([1]);
});
