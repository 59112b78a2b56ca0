import { afterEach, beforeEach, expect, test } from "vitest";
import { testDatabase, type TestDatabase } from "../../../../test/postgres/test-database.ts";
import { must } from "../../../core/base/assert.ts";
import type { Store } from "../../../core/port/store.ts";
import { blockId, put } from "../../../testing/store/records.ts";
import type { SharedDatabase } from "../shared/database-driver.ts";
import { openSharedDatabase } from "./shared-database.ts";
import { writerName } from "./writer-right.ts";

const ttlMs = 3_000;

let database: TestDatabase;
let shared: SharedDatabase;
let incarnation: number;
beforeEach(async () => {
  database = await testDatabase();
  shared = await openSharedDatabase(database.url, { ttlMs });
  incarnation = must(await shared.table.join({ nodeId: "a", ttlMs, address: "a:1", again: null }), "the node joins");
  await shared.table.acquire(incarnation, 0);
});
afterEach(async () => {
  await shared.close();
  await database.drop();
});

/** The sessions of the database that have one of these names, by process. */
async function sessions(
  ...names: readonly string[]
): Promise<readonly { readonly pid: number; readonly name: string }[]> {
  const rows = await database.query("SELECT pid, application_name AS name FROM pg_stat_activity");
  return (rows as { pid: number; name: string }[]).filter(({ name }) => names.includes(name));
}

const pids = async (...names: readonly string[]): Promise<readonly number[]> =>
  (await sessions(...names)).map(({ pid }) => pid).toSorted((a, b) => a - b);

function open(): Promise<Store> {
  const right = { incarnation, epoch: 1, ttlMs, sending: () => () => undefined };
  return shared.openStore({ shared: right, onLost: () => {}, onDamaged: () => {} });
}

const standby = "heddle standby";

test("a node's store opens over connections that were made before, its writer under the node's own name", async () => {
  await expect.poll(() => pids(standby)).toHaveLength(1);
  const [before] = await pids(standby);
  const store = await open();
  expect(await store.commit([put("1", 1)])).toMatchObject({ ok: true });
  expect((await store.block(blockId("1")))?.version).toBe(1);
  expect(await pids(writerName(incarnation))).toEqual([before]);
  await store.close();
});

test("once a store is closed, connections for the next one are made", async () => {
  const store = await open();
  await expect.poll(() => pids(standby)).toEqual([]);
  await store.close();
  await expect.poll(() => pids(standby)).toHaveLength(1);
  await expect.poll(() => pids(writerName(incarnation))).toEqual([]);
});

test("connections that the database ended meanwhile are no obstacle, and are made again", async () => {
  await expect.poll(() => pids(standby)).toHaveLength(1);
  const ended = await pids(standby, "heddle reader");
  await database.query(`SELECT pg_terminate_backend(pid) FROM unnest(ARRAY[${ended.join(",")}]) AS pid`);
  const store = await open();
  expect(await store.commit([put("1", 1)])).toMatchObject({ ok: true });
  expect((await store.block(blockId("1")))?.version).toBe(1);
  await store.close();
});

test("before its store is opened a node reads what another commits, commits nothing, and leaves the connections to its store", async () => {
  const first = await open();
  const other = await openSharedDatabase(database.url, { ttlMs });
  try {
    const early = must(other.readEarly(), "connections are ready");
    expect(await first.commit([put("1", 1)])).toMatchObject({ ok: true });
    expect((await early.block(blockId("1")))?.version).toBe(1);
    expect(await early.commit([put("2", 1)])).toMatchObject({ ok: false, error: { code: "STORE_FAILED" } });
    expect(shared.readEarly(), "the store has them").toBe(null);
    await first.close();
    await expect.poll(() => shared.readEarly()).not.toBe(null);
  } finally {
    await other.close();
  }
});
