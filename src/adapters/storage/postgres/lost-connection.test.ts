import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { databaseProxy, type DatabaseProxy } from "../../../../test/postgres/proxy.ts";
import { testDatabase, type TestDatabase } from "../../../../test/postgres/test-database.ts";
import { scaled } from "../../../../test/scale.ts";
import type { Store } from "../../../core/port/store.ts";
import { blockId, put, requestId } from "../../../testing/store/records.ts";
import { openPostgresStore, type PostgresStoreOptions } from "./open-postgres-store.ts";

let database: TestDatabase;
let proxy: DatabaseProxy;
const opened: Store[] = [];
const onLost = vi.fn();

beforeEach(async () => {
  onLost.mockReset();
  database = await testDatabase();
  proxy = await databaseProxy(database.url);
});
afterEach(async () => {
  proxy.mend();
  await Promise.all(opened.splice(0).map((store) => store.close()));
  await proxy.close();
  await database.drop();
});

async function openThrough(url: string, options: PostgresStoreOptions = {}): Promise<Store> {
  const store = await openPostgresStore({ url, onLost, ...options });
  opened.push(store);
  return store;
}

async function versionsOf(store: Store, name: string): Promise<readonly number[]> {
  return (await store.changes({ blockId: blockId(name), afterVersion: 0 })).map(({ version }) => version);
}

const made = { ok: true, value: undefined };

describe("a commit whose connection breaks", () => {
  test("a commit that is lost on its way is made over the next connection", async () => {
    const store = await openThrough(proxy.url);
    const broken = proxy.breakNextCommit("before it arrives");
    expect(await store.commit([put("1", 1)])).toEqual(made);
    await broken;
    expect(await versionsOf(store, "1")).toEqual([1]);
  });

  test("a commit that was made is acknowledged and not made again", async () => {
    const store = await openThrough(proxy.url);
    const broken = proxy.breakNextCommit("after it is made");
    const results = await Promise.all([
      store.commit([put("1", 1, { change: { requestId: requestId("r") } })]),
      store.commit([put("1", 7)]),
      store.commit([put("2", 1)]),
    ]);
    await broken;
    // Refusals of that transaction are reported as judged in it.
    expect(results).toEqual([made, { ok: false, error: { code: "CONFLICT", index: 0, stored: 1 } }, made]);
    expect(await versionsOf(store, "1")).toEqual([1]);
    expect(await store.commit([put("1", 2)])).toEqual(made);
    expect(onLost).not.toHaveBeenCalled();
  });

  test("a commit gets no answer while the database stays away, and the store reports that it is lost", async () => {
    const store = await openThrough(proxy.url, { reconnectMs: 300 });
    void proxy.breakNextCommit("after it is made").then(() => proxy.cut());
    const outcomes = await Promise.allSettled([store.commit([put("1", 1)])]);
    expect(outcomes).toMatchObject([{ status: "rejected", reason: { name: "StoreCrashedError" } }]);
    expect(onLost).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ name: "StoreCrashedError" }));
    await expect(store.commit([put("1", 2)])).rejects.toMatchObject({ name: "StoreCrashedError" });
  });
});

describe("an unreachable database", () => {
  test("refuses commits after a while and accepts them again when it is back", async () => {
    const store = await openThrough(proxy.url, { reconnectMs: 200 });
    expect(await store.commit([put("1", 1)])).toEqual(made);
    proxy.cut();
    const refused = await Promise.all([store.commit([put("1", 2)]), store.commit([put("2", 1), put("2", 2)])]);
    expect(refused).toMatchObject([
      { ok: false, error: { code: "STORE_FAILED", index: 1 } },
      { ok: false, error: { code: "STORE_FAILED", index: 2 } },
    ]);
    await expect(store.block(blockId("1"))).rejects.toMatchObject({ name: "StoreAwayError" });
    proxy.mend();
    await expect.poll(() => store.commit([put("1", 2)])).toEqual(made);
    expect(await versionsOf(store, "1")).toEqual([1, 2]);
    expect(await store.block(blockId("2"))).toBeNull();
    expect(onLost).not.toHaveBeenCalled();
  });

  test("a connection that breaks at one commit refuses that commit after a while and accepts the others", async () => {
    const store = await openThrough(proxy.url, { reconnectMs: 300 });
    proxy.breakAt(blockId("poison"));
    expect(await store.commit([put("poison", 1)])).toMatchObject({ ok: false, error: { code: "STORE_FAILED" } });
    expect(await store.commit([put("1", 1)])).toEqual(made);
  });

  test("a brief outage delays commits and reads, and loses none", async () => {
    const store = await openThrough(proxy.url);
    await store.commit([put("1", 1)]);
    proxy.cut();
    const waiting = [store.commit([put("1", 2)]), store.commit([put("1", 3)])];
    const read = store.block(blockId("1"));
    proxy.mend();
    expect(await Promise.all(waiting)).toEqual([made, made]);
    expect((await read)?.version).toBeGreaterThanOrEqual(1);
    expect(await versionsOf(store, "1")).toEqual([1, 2, 3]);
  });

  test("a database that another process takes meanwhile is lost to this process", async () => {
    const store = await openThrough(proxy.url);
    await store.commit([put("1", 1)]);
    proxy.cut();
    const other = await openThrough(database.url);
    expect(await other.commit([put("1", 2)])).toEqual(made);
    proxy.mend();
    await other.close();
    await expect.poll(() => onLost).toHaveBeenCalledOnce();
    await expect(store.commit([put("1", 2)])).rejects.toThrow("another process has taken the database");
    const next = await openThrough(database.url);
    expect(await versionsOf(next, "1")).toEqual([1, 2]);
  });

  test("19.10 a server that lost its lock ends within 2 s of seeing another one, which keeps the lock", async () => {
    const store = await openThrough(proxy.url);
    await store.commit([put("1", 1)]);
    proxy.cut();
    const other = await openThrough(database.url);
    const waiting = store.commit([put("1", 2)]);
    const rejected = expect(waiting).rejects.toThrow("another process has taken the database");
    proxy.mend();
    const seen = performance.now();
    await expect.poll(() => onLost, { timeout: 5_000, interval: 10 }).toHaveBeenCalledOnce();
    expect(performance.now() - seen).toBeLessThan(2_000);
    await rejected;
    expect(await other.commit([put("1", 2)])).toEqual(made);
    expect(await versionsOf(other, "1")).toEqual([1, 2]);
  });

  test("19.10 an idle server ends within 2 s when another one has the database beside its open session", async () => {
    await openThrough(proxy.url);
    await database.query("UPDATE writer SET holder = 'another server'");
    const taken = performance.now();
    await expect.poll(() => onLost, { timeout: 5_000, interval: 10 }).toHaveBeenCalledOnce();
    expect(performance.now() - taken).toBeLessThan(2_000);
  });
});

test(`connections that break repeatedly (${scaled(6, 150)} times) lose and repeat no commit`, async () => {
  const store = await openThrough(database.url);
  const endAll = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name LIKE 'heddle %' || (SELECT split_part(holder, ' ', -1) FROM writer)`;
  const over = new AbortController();
  const appended = Array.from({ length: 8 }, async (_, index) => {
    const name = `block-${index}`;
    let version = 0;
    while (!over.signal.aborted) {
      version += 1;
      // A commit that was made unnoticed, or twice, would be refused here.
      expect(await store.commit([put(name, version)])).toEqual(made);
    }
    return { name, version };
  });
  for (let round = 0; round < scaled(6, 150); round += 1) {
    // Waits until there is a session to end again.
    await expect.poll(() => database.query(endAll), { interval: 5 }).not.toEqual([]);
  }
  over.abort();
  for (const { name, version } of await Promise.all(appended)) {
    expect(version).toBeGreaterThan(0);
    expect(await versionsOf(store, name)).toEqual(Array.from({ length: version }, (_, index) => index + 1));
  }
  expect(onLost).not.toHaveBeenCalled();
});

describe("other sessions in the database", () => {
  test("a deadlock with another session delays a commit, which is retried", async () => {
    const store = await openThrough(database.url);
    await store.commit([put("1", 1), put("2", 1)]);
    const others = database.query(`
      SET deadlock_timeout = '1h';
      BEGIN;
      SELECT 1 FROM blocks WHERE id = '${blockId("2")}' FOR UPDATE;
      SELECT pg_sleep(0.2);
      SELECT 1 FROM blocks WHERE id = '${blockId("1")}' FOR UPDATE;
      COMMIT`);
    const isAsleep =
      "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND query LIKE '%deadlock_timeout%FOR UPDATE%'";
    await expect.poll(() => database.query(isAsleep), { interval: 10 }).toHaveLength(1);
    expect(await store.commit([put("1", 2), put("2", 2)])).toEqual(made);
    await others;
    expect(await versionsOf(store, "2")).toEqual([1, 2]);
  });

  test("a table lock of another session makes a commit fail after the statement timeout", async () => {
    const url = new URL(database.url);
    url.searchParams.set("options", `${url.searchParams.get("options") ?? ""} -c statement_timeout=400`);
    const store = await openThrough(url.href);
    const locked = database.query("BEGIN; LOCK TABLE snapshots; SELECT pg_sleep(1.5); COMMIT");
    const lock =
      "SELECT 1 FROM pg_locks WHERE relation = 'snapshots'::regclass AND mode = 'AccessExclusiveLock' AND granted";
    await expect.poll(() => database.query(lock), { interval: 10 }).toHaveLength(1);
    const snapshot = { blockId: blockId("1"), version: 1, bytes: Uint8Array.of(1) };
    const results = await Promise.all([
      store.commit([put("1", 1), { type: "put-snapshot", snapshot }]),
      store.commit([put("2", 1)]),
    ]);
    expect(results).toMatchObject([{ ok: false, error: { code: "STORE_FAILED", index: 1 } }, { ok: true }]);
    await locked;
    expect(await store.commit([put("1", 1), { type: "put-snapshot", snapshot }])).toEqual(made);
  });
});
