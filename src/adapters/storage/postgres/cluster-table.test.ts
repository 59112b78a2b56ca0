import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { databaseProxy } from "../../../../test/postgres/proxy.ts";
import { testDatabase, type TestDatabase } from "../../../../test/postgres/test-database.ts";
import { openMeters } from "../../telemetry/meters.ts";
import { valueOf } from "../../../testing/metrics-text.ts";
import type { ClusterTable } from "../../../core/port/cluster-table.ts";
import type { Store } from "../../../core/port/store.ts";
import { describeClusterTable } from "../../../testing/cluster/cluster-suite.ts";
import { blockId, put } from "../../../testing/store/records.ts";
import { migrateShared, openClusterTable } from "./cluster-table.ts";
import { migrations, type Migration } from "./migrations.ts";
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

  test("N-05 N-14 a COMMIT that is still under way when its connection is lost is settled first: it is made once", async () => {
    const one = await join("one");
    await table.acquire(one, 0);
    const proxy = await databaseProxy(database.url);
    opened.push(proxy);
    const shared = { incarnation: one, epoch: 1, ttlMs, sending };
    const store = await openPostgresStore({ url: proxy.url, shared });
    opened.push(store);
    await store.commit([put("1", 1)]);
    // Every COMMIT of a transaction of the writer takes half a second, in which it holds the node's row.
    await database.query(`CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.batch <> OLD.batch THEN PERFORM pg_sleep(0.5); END IF; RETURN NULL; END $$`);
    await database.query(`CREATE CONSTRAINT TRIGGER slow AFTER UPDATE ON nodes DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION slow()`);
    const committed = store.commit([put("1", 2)]);
    const isCommitting = `SELECT 1 FROM pg_stat_activity WHERE application_name = '${writerName(one)}' AND query = 'COMMIT' AND state = 'active'`;
    await expect.poll(() => database.query(isCommitting)).toHaveLength(1);
    proxy.cut();
    proxy.mend();
    expect(await committed).toMatchObject({ ok: true });
    expect((await store.block(blockId("1")))?.version).toBe(2);
    expect(await database.query(`SELECT batch::integer FROM nodes WHERE incarnation = ${one}`)).toEqual([{ batch: 2 }]);
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

  test("hints that are sent, deaths and ended sessions are counted", async () => {
    const meters = openMeters();
    const metered = await openClusterTable({ url: database.url, ttlMs, meters: meters.ofNode() });
    opened.push(metered);
    const metric = async (name: string): Promise<number> => valueOf((await meters.text()).text, `heddle_node_${name}`);
    const joined = (nodeId: string): Promise<number | null> =>
      metered.join({ nodeId, ttlMs: 400, address: "127.0.0.1:1", again: null });
    const [idle, busy] = [(await joined("idle")) ?? 0, (await joined("busy")) ?? 0];
    expect(await metric('hints_total{type="sent"}')).toBe(2);
    const client = new Client({ connectionString: database.url, application_name: writerName(busy) });
    client.on("error", () => {});
    opened.push({ close: () => client.end() });
    await client.connect();
    await client.query("BEGIN");
    await client.query(`UPDATE nodes SET batch = batch + 1 WHERE incarnation = ${busy}`);
    await expect.poll(async () => (await metered.look()).nodes.every(({ remainingMs }) => remainingMs < 0)).toBe(true);
    await metered.reap(idle);
    expect(await metric("reaps_total")).toBe(1);
    expect(await metric("sessions_ended_total")).toBe(0);
    await metered.reap(busy);
    expect(await metric("reaps_total")).toBe(2);
    expect(await metric("sessions_ended_total")).toBe(1);
  });

  describe("of two releases", () => {
    const newest = migrations.at(-1)?.version ?? 0;
    const adds: Migration = {
      version: newest + 1,
      name: "later",
      least: newest,
      sql: "CREATE TABLE later (n integer); ALTER TABLE blocks ADD COLUMN later text",
    };
    /** Takes away what the release of the step before no longer uses. */
    const takes: Migration = {
      version: newest + 2,
      name: "taken",
      least: newest + 1,
      sql: "ALTER TABLE blocks DROP COLUMN later",
    };
    const breaks: Migration = { version: newest + 2, name: "broken", sql: "ALTER TABLE blocks ADD COLUMN broken text" };
    let sql: Statements;
    beforeEach(async () => {
      const client = new Client({ connectionString: database.url });
      await client.connect();
      opened.push({ close: () => client.end() });
      sql = new Statements(client);
    });

    test("N-40 tables are changed while a node of an earlier release runs only where the step says that it may go on", async () => {
      const one = await join("one");
      await table.acquire(one, 0);
      const store = await openStore(one, 1);
      await migrateShared(sql, [...migrations, adds]);
      expect(await store.commit([put("1", 1)])).toMatchObject({ ok: true });
      await expect(migrateShared(sql, [...migrations, adds, breaks])).rejects.toThrow(
        "1 node of an earlier release still runs on this database. Stop it first",
      );
      expect(await sql.first("SELECT to_regclass('later')::text")).toEqual(["later"]);
      expect(await store.commit([put("1", 2)])).toMatchObject({ ok: true });
      await table.leave(one);
      await migrateShared(sql, [...migrations, adds, breaks]);
      await expect(join("one")).rejects.toMatchObject({ code: "SCHEMA_TOO_NEW" });
    });

    test("N-40 an earlier release joins and writes tables to which a later one has added", async () => {
      await migrateShared(sql, [...migrations, adds]);
      const again = await openTable();
      const one = await join("one");
      await again.acquire(one, 0);
      expect(await (await openStore(one, 1)).commit([put("1", 1)])).toMatchObject({ ok: true });
      await again.leave(one);
      for (const each of [again, table]) await each.close();
      await expect(openPostgresStore({ url: database.url })).rejects.toMatchObject({ code: "SCHEMA_TOO_NEW" });
    });

    test("N-40 a contract step is refused while one node of n lives, not of n + 1; n never acquires after it, also where it joins during it", async () => {
      const later = await openClusterTable({ url: database.url, ttlMs, steps: [...migrations, adds] });
      opened.push(later);
      await later.join({ nodeId: "later", ttlMs, address: "127.0.0.1:2", again: null });
      const one = await join("one");
      const contract = [...migrations, adds, takes];
      await expect(migrateShared(sql, contract)).rejects.toThrow("1 node of an earlier release still runs");
      await table.leave(one);
      // A node of n joins while the step is under way: it waits, and is refused.
      const slow: Migration = { ...takes, sql: `SELECT pg_sleep(0.5); ${takes.sql}` };
      const migrating = migrateShared(sql, [...migrations, adds, slow]);
      await new Promise((resolve) => setTimeout(resolve, 200));
      await expect(join("one")).rejects.toMatchObject({ code: "SCHEMA_TOO_NEW" });
      await migrating;
      expect((await later.look()).nodes.map(({ nodeId }) => nodeId)).toEqual(["later"]);
      await expect(openTable()).rejects.toMatchObject({ code: "SCHEMA_TOO_NEW" });
    });

    test("N-40 a stopped node of n whose time has run out does not go on after a contract step", async () => {
      const stopped = (await table.join({ nodeId: "stopped", ttlMs: 100, address: "127.0.0.1:1", again: null })) ?? 0;
      await expect.poll(async () => (await table.look()).nodes.every(({ remainingMs }) => remainingMs < 0)).toBe(true);
      await migrateShared(sql, [...migrations, adds, breaks]);
      expect(await table.renew(stopped)).toBe(false);
    });
  });
});
