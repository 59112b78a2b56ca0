import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { scaled } from "../../../../test/scale.ts";
import type { StoreWrite } from "../../../core/port/store.ts";
import { blockId, put, requestId, turnId } from "../../../testing/store/records.ts";
import { commitBatch, fileNow } from "./commit-batch.ts";
import { openDatabase } from "./open-database.ts";
import { openForReading } from "./open-for-reading.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";
import { read } from "./reads.ts";
import { encodeWrite } from "./row-write.ts";
import { Statements } from "../row/sql.ts";

let folder: string;
let database: DatabaseSync;
let statements: Statements;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-new-changes-"));
  open();
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

function open(): void {
  database = openDatabase(join(folder, "heddle.db"));
  statements = new Statements(database);
}

function reopen(): void {
  database.close();
  open();
}

/** Makes each write a commit of its own, all in one transaction. */
function commit(...writes: readonly StoreWrite[]): readonly string[] {
  const commits = writes.map((write, id) => ({ type: "commit", id, writes: [encodeWrite(write)] }) as const);
  return commitBatch(database, statements, commits).map((answer) =>
    answer.type === "refused" ? answer.refusal.code : answer.type,
  );
}

function typed(name: string, version: number, turn: string, size = 1): StoreWrite {
  const unit = { id: `unit_${version}`, turnId: turnId(turn) };
  const body = { type: "text", update: new Uint8Array(size), spans: [], unit } as const;
  return put(name, version, { change: { requestId: requestId(`${name}-${version}`), body } });
}

const versions = (name: string, after = 0) => read(statements, "changes", [blockId(name), after]).map((row) => row[2]);
const rows = (table: "changes" | "new_changes") => statements.number(`SELECT count(*) FROM ${table}`, []);

describe("a stored change", () => {
  test("a change dirties no index page until it is filed, and reads the same before and after", () => {
    expect(commit(put("1", 1), typed("1", 2, "t"), typed("1", 3, "t"))).toEqual(Array(3).fill("committed"));
    expect([rows("new_changes"), rows("changes")]).toEqual([3, 0]);
    const readAll = () => [
      read(statements, "changes", [blockId("1"), 1]),
      read(statements, "changesOfTurn", [turnId("t")]),
      read(statements, "requestVersion", [blockId("1"), requestId("1-3")]),
    ];
    const before = readAll();
    expect(before.map((each) => each.length)).toEqual([2, 2, 1]);
    expect(fileNow(database, statements)).toBeNull();
    expect([rows("new_changes"), rows("changes")]).toEqual([0, 3]);
    expect(readAll()).toEqual(before);
  });

  test("a change is found by its request when new, filed and after a restart, unless it was rolled back", () => {
    expect(commit(put("1", 1), typed("1", 2, "t"), put("1", 9))).toEqual(["committed", "committed", "CONFLICT"]);
    const again = put("1", 3, { change: { requestId: requestId("1-2") } });
    expect(commit(again)).toEqual(["DUPLICATE_REQUEST"]);
    reopen();
    expect(commit(again)).toEqual(["DUPLICATE_REQUEST"]);
    fileNow(database, statements);
    expect(commit(again)).toEqual(["DUPLICATE_REQUEST"]);
    const [takenBack, refused] = [typed("1", 3, "t"), put("1", 7)].map(encodeWrite);
    const together = {
      type: "commit",
      id: 1,
      writes: [takenBack, refused].filter((each) => each !== undefined),
    } as const;
    expect(commitBatch(database, statements, [together])[0]?.type).toBe("refused");
    expect(commit(typed("1", 3, "t"))).toEqual(["committed"]);
  });

  test("a large change is filed at once, in its place among small ones", () => {
    commit(put("1", 1), typed("1", 2, "t"), typed("1", 3, "t", 100_000), typed("1", 4, "t"));
    expect([rows("new_changes"), rows("changes")]).toEqual([3, 1]);
    const inOrder = () => read(statements, "changesOfTurn", [turnId("t")]).map((row) => row[2]);
    expect(inOrder()).toEqual([2, 3, 4]);
    fileNow(database, statements);
    expect(inOrder()).toEqual([2, 3, 4]);
    expect(versions("1")).toEqual([1, 2, 3, 4]);
  });

  test("a change stays new while the disk is full and is filed when there is room", () => {
    for (let version = 1; version <= 600; version += 1) commit(typed("1", version, "t", 500));
    database.exec(`PRAGMA max_page_count = ${statements.number("PRAGMA page_count", []) ?? 0}`);
    expect(fileNow(database, statements)?.code).toBe("STORE_FULL");
    expect(database.isTransaction).toBe(false);
    expect([rows("new_changes"), rows("changes")]).toEqual([600, 0]);
    expect(commit(typed("1", 600, "t"))).toEqual(["DUPLICATE_REQUEST"]);
    database.exec("PRAGMA max_page_count = 100000");
    fileNow(database, statements);
    expect([rows("new_changes"), rows("changes")]).toEqual([0, 600]);
  });

  test.each([
    ["", []],
    [
      ", after filing the new changes",
      [
        { type: "put-snapshot", snapshot: { blockId: blockId("1"), version: 2, bytes: Uint8Array.of(1) } },
        { type: "trim-changes", blockId: blockId("1"), beforeVersion: 2, state: {} },
      ],
    ],
  ] as const)("a change that a full disk rolled back%s leaves no trace", (_name, first) => {
    commit(put("1", 1), typed("1", 2, "t"));
    database.exec(`PRAGMA max_page_count = ${statements.number("PRAGMA page_count", []) ?? 0}`);
    const snapshot = { blockId: blockId("1"), version: 2, bytes: new Uint8Array(100_000) };
    const writes = [...first, typed("1", 3, "t"), { type: "put-snapshot", snapshot } as const].map(encodeWrite);
    const [answer] = commitBatch(database, statements, [{ type: "commit", id: 1, writes }]);
    expect(answer).toMatchObject({ type: "refused", refusal: { code: "STORE_FULL" } });
    expect(database.isTransaction).toBe(false);
    expect([rows("new_changes"), rows("changes")]).toEqual([2, 0]);
    database.exec("PRAGMA max_page_count = 100000");
    expect(commit(typed("1", 3, "t"), typed("1", 3, "t"))).toEqual(["committed", "DUPLICATE_REQUEST"]);
    fileNow(database, statements);
    expect(versions("1")).toEqual([1, 2, 3]);
  });

  test.each([
    ["alone", []],
    ["among others", [put("2", 1)]],
  ] as const)("a change stays found by its request when a refused commit had filed one, %s", (_how, others) => {
    commit(put("1", 1), typed("1", 2, "t"));
    const snapshot = { blockId: blockId("1"), version: 2, bytes: Uint8Array.of(1) };
    const refused: readonly StoreWrite[] = [
      { type: "put-snapshot", snapshot },
      { type: "trim-changes", blockId: blockId("1"), beforeVersion: 2, state: {} },
      put("1", 9),
    ];
    const commits = [refused, ...others.map((other) => [other])].map(
      (writes, id) => ({ type: "commit", id, writes: writes.map(encodeWrite) }) as const,
    );
    expect(commitBatch(database, statements, commits)[0]).toMatchObject({ refusal: { code: "CONFLICT" } });
    expect([rows("new_changes"), rows("changes")]).toEqual([2 + others.length, 0]);
    expect(commit(put("1", 3, { change: { requestId: requestId("1-2") } }))).toEqual(["DUPLICATE_REQUEST"]);
  });

  test("new changes are read again only after a rollback", () => {
    commit(put("1", 1), typed("1", 2, "t"));
    const known = statements.newChanges;
    expect(commit(put("1", 9), typed("1", 2, "t"), put("1", 9))).toEqual(["CONFLICT", "DUPLICATE_REQUEST", "CONFLICT"]);
    expect(statements.newChanges).toBe(known);
    expect(commit(typed("1", 3, "t"), put("1", 9), typed("1", 4, "t"))).toEqual(["committed", "CONFLICT", "committed"]);
    expect(statements.newChanges?.count).toBe(4);
  });
});

test("an unreadable log blocks only changes of its own", async () => {
  const file = join(folder, "damaged.db");
  const store = await openSqliteStore({ file });
  await store.commit([put("1", 1)]);
  await store.commit([{ type: "put-meta", key: "a", value: { is: "there" } }]);
  await store.close();
  const damaging = openDatabase(file);
  const page =
    new Statements(damaging).number("SELECT rootpage FROM sqlite_schema WHERE name = 'new_changes'", []) ?? 0;
  const pageSize = new Statements(damaging).number("PRAGMA page_size", []) ?? 0;
  damaging.close();
  const handle = openSync(file, "r+");
  writeSync(handle, new Uint8Array(pageSize).fill(0xff), 0, pageSize, (page - 1) * pageSize);
  closeSync(handle);
  const again = await openSqliteStore({ file });
  expect(await again.meta("a")).toEqual({ is: "there" });
  expect(await again.commit([put("1", 2)])).toMatchObject({ ok: false, error: { code: "STORE_FAILED" } });
  expect(await again.meta("a")).toEqual({ is: "there" });
  expect((await again.block(blockId("1")))?.version).toBe(1);
  await again.close();
});

test("a store files new changes once there are many, and the rest when it closes", async () => {
  const file = join(folder, "whole.db");
  const store = await openSqliteStore({ file });
  const counts = () => {
    const connection = openForReading(file);
    const reading = new Statements(connection);
    const found = ["changes", "new_changes"].map((table) => reading.number(`SELECT count(*) FROM ${table}`, []));
    connection.close();
    return found;
  };
  for (let from = 1; from <= 1_000; from += 100) {
    await store.commit(Array.from({ length: 100 }, (_, at) => typed("1", from + at, "t")));
  }
  await expect.poll(counts).toEqual([1_000, 0]);
  await store.commit([typed("1", 1_001, "t")]);
  expect(counts()).toEqual([1_000, 1]);
  await store.close();
  expect(counts()).toEqual([1_001, 0]);
});

test("a store that cannot file reports why, not with every commit, and goes on", async () => {
  const file = join(folder, "unfiled.db");
  await (await openSqliteStore({ file })).close();
  const damaging = openDatabase(file);
  damaging.exec("CREATE TRIGGER no_filing BEFORE INSERT ON changes BEGIN SELECT RAISE(ABORT, 'not today'); END");
  damaging.close();
  const problems: string[] = [];
  const store = await openSqliteStore({ file, onDamaged: (problem) => problems.push(problem) });
  for (let from = 1; from <= 1_500; from += 100) {
    const writes = Array.from({ length: 100 }, (_, at) => typed("1", from + at, "t"));
    expect((await store.commit(writes)).ok).toBe(true);
  }
  expect(problems).toEqual(["the newest changes cannot be filed: not today"]);
  expect(await store.changes({ blockId: blockId("1"), afterVersion: 0 })).toHaveLength(1_500);
  await store.close();
});

test("whenever changes are filed, each block's log is whole and each turn's is in order of arrival", () => {
  const step = fc.oneof(
    { weight: 8, arbitrary: fc.record({ block: fc.nat(2), turn: fc.nat(2), size: fc.constantFrom(1, 5_000) }) },
    { weight: 1, arbitrary: fc.constant("file" as const) },
    { weight: 1, arbitrary: fc.constant("reopen" as const) },
    { weight: 1, arbitrary: fc.nat(2).map((forget) => ({ forget })) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      database.close();
      rmSync(folder, { recursive: true });
      folder = mkdtempSync(join(tmpdir(), "heddle-new-changes-"));
      open();
      const logs = [0, 1, 2].map(() => ({ begin: 1, end: 0 }));
      const turns = [0, 1, 2].map((): { readonly block: number; readonly version: number }[] => []);
      for (const next of steps) {
        if (next === "file") fileNow(database, statements);
        else if (next === "reopen") reopen();
        else if ("forget" in next) {
          const log = logs[next.forget] ?? expect.fail("three blocks");
          if (log.end === 0) continue;
          const id = blockId(`${next.forget}`);
          const snapshot = { blockId: id, version: log.end, bytes: Uint8Array.of(1) };
          expect(
            commit(
              { type: "put-snapshot", snapshot },
              { type: "trim-changes", blockId: id, beforeVersion: log.end, state: {} },
            ),
          ).toEqual(["committed", "committed"]);
          log.begin = log.end;
        } else {
          const log = logs[next.block] ?? expect.fail("three blocks");
          log.end += 1;
          expect(commit(typed(`${next.block}`, log.end, `${next.turn}`, next.size))).toEqual(["committed"]);
          turns[next.turn]?.push({ block: next.block, version: log.end });
        }
      }
      for (const [index, { begin, end }] of logs.entries()) {
        const kept = Array.from({ length: end - begin + 1 }, (_, at) => begin + at);
        expect(versions(`${index}`)).toEqual(kept);
      }
      for (const [index, turn] of turns.entries()) {
        const kept = turn.filter(({ block, version }) => version >= (logs[block]?.begin ?? 0));
        const stored = read(statements, "changesOfTurn", [turnId(`${index}`)]);
        expect(stored.map((row) => [row[0], row[2]])).toEqual(
          kept.map(({ block, version }) => [blockId(`${block}`), version]),
        );
      }
      expect(statements.all("PRAGMA foreign_key_check", [])).toEqual([]);
    }),
    { numRuns: scaled(60) },
  );
});
