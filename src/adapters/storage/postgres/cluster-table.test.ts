import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { databaseProxy } from "../../../../test/postgres/proxy.ts";
import { testDatabase, type TestDatabase } from "../../../../test/postgres/test-database.ts";
import type { ClusterTable } from "../../../core/port/cluster-table.ts";
import type { Store } from "../../../core/port/store.ts";
import { describeClusterTable } from "../../../testing/cluster/cluster-suite.ts";
import { blockId, put } from "../../../testing/store/records.ts";
import { migrateShared, openClusterTable } from "./cluster-table.ts";
import { migrations } from "./migrations.ts";
import { openPostgresStore } from "./open-postgres-store.ts";
import { Statements } from "./plan/sql.ts";
import { rightOfNode, writerName } from "./writer-right.ts";

const ttlMs = 3_000;
const sending = (): (() => void) => () => undefined;

describeClusterTable("PostgreSQL", async () => {
  const database = await testDatabase();
  // The tables are there before several ask for them at once.
  await (await openClusterTable({ url: database.url, ttlMs })).close();
  const clients: Client[] = [];
  return {
    table: () => openClusterTable({ url: database.url, ttlMs }),
    async begin({ incarnation, epoch, batch }) {
      const client = new Client({ connectionString: database.url, application_name: writerName(incarnation) });
      client.on("error", () => {});
      clients.push(client);
      await client.connect();
      const sql = new Statements(client);
      const fence = rightOfNode({ incarnation, epoch, ttlMs, sending }).fence(batch);
      await sql.command("BEGIN");
      if ((await sql.ask(fence.sql, fence.values)).touched !== 1) {
        await sql.command("ROLLBACK");
        return null;
      }
      return {
        commit: () =>
          sql.command("COMMIT").then(
            () => true,
            () => false,
          ),
      };
    },
    async close() {
      await Promise.all(clients.map((client) => client.end().catch(() => {})));
      await database.drop();
    },
  };
});

describe("stores of nodes", () => {
  let database: TestDatabase;
  let table: ClusterTable;
  const opened: { close(): Promise<void> }[] = [];
  beforeEach(async () => {
    database = await testDatabase();
    table = await openTable();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((each) => each.close()));
    await database.drop();
  });

  async function openTable(): Promise<ClusterTable> {
    const made = await openClusterTable({ url: database.url, ttlMs });
    opened.push(made);
    return made;
  }

  async function join(nodeId: string): Promise<number> {
    return (await table.join({ nodeId, ttlMs, address: "127.0.0.1:1", again: null })) ?? 0;
  }

  async function openStore(incarnation: number, epoch: number, onLost = () => {}, renewed = () => {}): Promise<Store> {
    const shared = { incarnation, epoch, ttlMs, sending: () => renewed };
    const store = await openPostgresStore({ url: database.url, shared, onLost });
    opened.push(store);
    return store;
  }

  test("N-07 a commit that was planned before another node took over is refused, and its store is over", async () => {
    const [one, two] = [await join("one"), await join("two")];
    await table.acquire(one, 0);
    let isLost = false;
    let renewals = 0;
    const first = await openStore(
      one,
      1,
      () => (isLost = true),
      () => (renewals += 1),
    );
    expect(await first.commit([put("1", 1)])).toMatchObject({ ok: true });
    expect(renewals).toBe(1);
    await table.leave(one);
    expect(await table.acquire(two, 1)).toBe(2);
    const second = await openStore(two, 2);
    expect(await second.commit([put("1", 2)])).toMatchObject({ ok: true });
    await expect(first.commit([put("1", 3)])).rejects.toMatchObject({ name: "StoreCrashedError" });
    expect(isLost).toBe(true);
    expect(renewals).toBe(1);
    expect((await second.block(blockId("1")))?.version).toBe(2);
  });

  test("N-14 a commit whose connection is lost is made once", async () => {
    const one = await join("one");
    await table.acquire(one, 0);
    const store = await openStore(one, 1);
    await store.commit([put("1", 1)]);
    await database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '${writerName(one)}'`,
    );
    expect(await store.commit([put("1", 2)])).toMatchObject({ ok: true });
    expect((await store.block(blockId("1")))?.version).toBe(2);
  });

  test("N-48 a process that would be alone is refused while a node runs, and ends nodes that are gone", async () => {
    const one = await join("one");
    await table.acquire(one, 0);
    const store = await openStore(one, 1);
    await expect(openPostgresStore({ url: database.url })).rejects.toMatchObject({ code: "STORE_IN_USE" });
    await table.close();
    const alone = await openPostgresStore({ url: database.url });
    opened.push(alone);
    expect(await alone.commit([put("1", 1)])).toMatchObject({ ok: true });
    await expect(store.commit([put("2", 1)])).rejects.toMatchObject({ name: "StoreCrashedError" });
    await expect(openTable()).rejects.toMatchObject({ code: "STORE_IN_USE" });
    await alone.close();
    expect(await (await openTable()).renew(one)).toBe(false);
  });

  test("N-48 a process that was alone and lost its connection writes no more once a node has come", async () => {
    await table.close();
    const proxy = await databaseProxy(database.url);
    let isLost = false;
    const alone = await openPostgresStore({ url: proxy.url, onLost: () => (isLost = true) });
    opened.push(alone);
    expect(await alone.commit([put("1", 1)])).toMatchObject({ ok: true });
    proxy.cut();
    for (;;) {
      // The server needs a moment to notice that the session has ended.
      const node = await openTable().catch(() => null);
      if (node !== null) break;
    }
    proxy.mend();
    await expect(alone.commit([put("1", 2)])).rejects.toMatchObject({ name: "StoreCrashedError" });
    expect(isLost).toBe(true);
    await proxy.close();
  });

  test("N-40 a release with other tables is refused while a node of an earlier one runs", async () => {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const sql = new Statements(client);
    const newest = migrations.at(-1)?.version ?? 0;
    const next = [...migrations, { version: newest + 1, name: "later", sql: "CREATE TABLE later (n integer)" }];
    const one = await join("one");
    await expect(migrateShared(sql, next)).rejects.toThrow("1 node of an earlier release still runs");
    await table.leave(one);
    await migrateShared(sql, next);
    await client.end();
  });
});
