import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ownerIn } from "../../core/cluster/cluster-view.ts";
import type { ClusterTable } from "../../core/port/cluster-table.ts";

/** A database of a cluster for one test. */
export interface OpenedCluster {
  /** Another process's way to the rows. */
  table(): Promise<ClusterTable>;
  /** Begins a writer's transaction with its fence; null: refused as stale. */
  begin(claim: {
    readonly incarnation: number;
    readonly epoch: number;
    readonly batch: number;
  }): Promise<OpenTransaction | null>;
  close(): Promise<void>;
}

interface OpenTransaction {
  /** Returns whether it was made. */
  commit(): Promise<boolean>;
}

const ttlMs = 400;

/** Defines the tests that the rows of every cluster pass. `open` gives an empty database for each test. */
export function describeClusterTable(name: string, open: () => Promise<OpenedCluster>): void {
  describe(`the rows of a cluster in ${name}`, () => {
    let cluster: OpenedCluster;
    let tables: ClusterTable[] = [];
    beforeEach(async () => {
      cluster = await open();
    });
    afterEach(async () => {
      await Promise.all(tables.map((table) => table.close()));
      tables = [];
      await cluster.close();
    });
    const openTable = async (): Promise<ClusterTable> => {
      const table = await cluster.table();
      tables.push(table);
      return table;
    };
    const join = async (table: ClusterTable, nodeId: string, again: number | null = null): Promise<number> =>
      (await table.join({ nodeId, ttlMs, address: `${nodeId}:1`, again })) ?? 0;
    const expire = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, ttlMs + 50));

    test("N-09 a process that starts takes its node's row; one that joins again does not throw out a living one", async () => {
      const table = await openTable();
      const first = await join(table, "a");
      const second = await join(table, "a");
      expect(second).toBeGreaterThan(first);
      expect(await table.renew(first)).toBe(false);
      expect(await table.join({ nodeId: "a", ttlMs, address: "a:1", again: first })).toBeNull();
      const third = await join(table, "a", second);
      expect(third).toBeGreaterThan(second);
      await expire();
      expect(await join(table, "a", first)).toBeGreaterThan(third);
    });

    test("N-10 of processes that ask for a free right at once one gets it, under the next epoch", async () => {
      const all = await Promise.all([openTable(), openTable(), openTable()]);
      const incarnations: number[] = [];
      for (const [index, table] of all.entries()) incarnations.push(await join(table, `node-${index}`));
      const epochs = await Promise.all(all.map((table, index) => table.acquire(incarnations[index] ?? 0, 0)));
      expect(epochs.filter((epoch) => epoch !== null)).toEqual([1]);
      const view = await (await openTable()).look();
      expect(view.claim).toEqual({ incarnation: incarnations[epochs.indexOf(1)], epoch: 1 });
      expect(ownerIn(view)?.address).toBe(`node-${epochs.indexOf(1)}:1`);
      expect(view.nodes).toHaveLength(3);
    });

    test("N-10 an epoch that was asked about before another had the right takes nothing", async () => {
      const table = await openTable();
      const [first, second] = [await join(table, "a"), await join(table, "b")];
      expect(await table.acquire(first, 0)).toBe(1);
      await table.leave(first);
      expect(await table.acquire(second, 0)).toBeNull();
      expect(await table.acquire(second, 1)).toBe(2);
      expect(await table.acquire(first, 2)).toBeNull();
    });

    test("N-02 a node is declared dead when its time has passed, and a late one that nobody has reaped goes on", async () => {
      const table = await openTable();
      const [here, there] = [await join(table, "here"), await join(table, "there")];
      await table.reap(there);
      expect((await table.look()).nodes).toHaveLength(2);
      await expire();
      expect((await table.look()).nodes.every(({ remainingMs }) => remainingMs < 0)).toBe(true);
      expect(await table.renew(here)).toBe(true);
      await table.reap(here);
      await table.reap(there);
      expect((await table.look()).nodes.map(({ nodeId }) => nodeId)).toEqual(["here"]);
      expect(await table.renew(there)).toBe(false);
    });

    test("N-04 a node that is stopped in a transaction is declared dead, and its transaction is not made", async () => {
      const table = await openTable();
      const [owner, other] = [await join(table, "owner"), await join(table, "other")];
      expect(await table.acquire(owner, 0)).toBe(1);
      const open = await cluster.begin({ incarnation: owner, epoch: 1, batch: 1 });
      expect(await table.renew(owner)).toBeNull();
      await expire();
      expect(await table.renew(other)).toBe(true);
      await table.reap(owner);
      expect(await table.acquire(other, 1)).toBe(2);
      expect(await open?.commit()).toBe(false);
    });

    test("N-07 N-08 a write is refused under another epoch, of a dead incarnation, and with another number than the next", async () => {
      const table = await openTable();
      const [owner, other] = [await join(table, "owner"), await join(table, "other")];
      await table.acquire(owner, 0);
      const made = await cluster.begin({ incarnation: owner, epoch: 1, batch: 1 });
      expect(await made?.commit()).toBe(true);
      expect(await cluster.begin({ incarnation: owner, epoch: 1, batch: 1 })).toBeNull();
      expect(await cluster.begin({ incarnation: owner, epoch: 1, batch: 3 })).toBeNull();
      expect(await cluster.begin({ incarnation: owner, epoch: 2, batch: 2 })).toBeNull();
      expect(await cluster.begin({ incarnation: other, epoch: 1, batch: 1 })).toBeNull();
      expect(await table.handOver(owner, 1, other)).toBe(true);
      expect(await cluster.begin({ incarnation: owner, epoch: 1, batch: 2 })).toBeNull();
      expect(await cluster.begin({ incarnation: other, epoch: 1, batch: 1 })).toBeNull();
      expect(await (await cluster.begin({ incarnation: other, epoch: 2, batch: 1 }))?.commit()).toBe(true);
      await table.leave(other);
      expect(await cluster.begin({ incarnation: other, epoch: 2, batch: 2 })).toBeNull();
    });

    test("N-11 the right is handed to a node that is live, once, and to no other", async () => {
      const table = await openTable();
      const [owner, draining, next] = [
        await join(table, "owner"),
        await join(table, "draining"),
        await join(table, "next"),
      ];
      await table.acquire(owner, 0);
      await table.drain(draining);
      expect(await table.handOver(owner, 1, draining)).toBe(false);
      expect(await table.handOver(owner, 2, next)).toBe(false);
      expect(await table.handOver(next, 1, owner)).toBe(false);
      expect(await table.handOver(owner, 1, next)).toBe(true);
      expect(await table.handOver(owner, 1, next)).toBe(false);
      expect((await table.look()).claim).toEqual({ incarnation: next, epoch: 2 });
    });

    test("N-11 a hand-over waits for the open transaction of the node that hands over", async () => {
      const table = await openTable();
      const [owner, next] = [await join(table, "owner"), await join(table, "next")];
      await table.acquire(owner, 0);
      const open = await cluster.begin({ incarnation: owner, epoch: 1, batch: 1 });
      let isHanded = false;
      const handing = (await openTable()).handOver(owner, 1, next).then((handed) => {
        isHanded = true;
        return handed;
      });
      await new Promise((resolve) => setTimeout(resolve, 60));
      expect(isHanded).toBe(false);
      expect(await open?.commit()).toBe(true);
      expect(await handing).toBe(true);
    });

    test("N-24 who looks on hears that rows changed; whoever hears nothing finds the same by looking", async () => {
      const [one, two] = [await openTable(), await openTable()];
      let hints = 0;
      two.onHint(() => (hints += 1));
      const incarnation = await join(one, "a");
      await expect.poll(() => hints).toBeGreaterThan(0);
      expect((await two.look()).nodes.map((row) => row.incarnation)).toEqual([incarnation]);
    });
  });
}
