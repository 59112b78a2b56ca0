import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemPlatform } from "../../adapters/platform/system-platform.ts";
import type { ClusterTable } from "../../core/port/cluster-table.ts";
import type { HintBus } from "../../core/port/hint-bus.ts";
import { ClusterNode } from "../../host/cluster/cluster-node.ts";
import { MemoryCluster } from "./memory-cluster.ts";

/** What hints travel by, for one test. */
export interface OpenedHints {
  /** Opens the bus of another process, of one cluster or of another on the same server. */
  bus(cluster: "ours" | "theirs"): HintBus;
  /** The server between the processes, which a test may take away; absent: there is none. */
  readonly server?: { stop(): Promise<void>; start(): Promise<void> };
  close(): Promise<void>;
}

export interface HintSuite {
  /** Whether there is a server between the processes. */
  readonly hasServer: boolean;
  /** Why the tests cannot run on this machine. */
  readonly missing?: string;
}

const platform = systemPlatform("error", () => {});
const ttlMs = 1_500;
/** A hint on its way arrives within this time, or was lost. */
const quietMs = 100;

/** Defines the tests that every bus of hints passes. `open` gives one that nobody uses yet. */
export function describeHintBus(name: string, open: () => Promise<OpenedHints>, suite: HintSuite): void {
  const { missing } = suite;
  if (missing === undefined) describe(`hints by ${name}`, () => defineTests(open, suite));
  else test(`hints by ${name}`, ({ skip }) => skip(missing));
}

function defineTests(open: () => Promise<OpenedHints>, { hasServer }: HintSuite): void {
  let hints: OpenedHints;
  const buses: HintBus[] = [];
  const nodes: ClusterNode[] = [];
  beforeEach(async () => {
    hints = await open();
  });
  afterEach(async () => {
    await Promise.all(nodes.splice(0).map((node) => node.stop()));
    await Promise.all(buses.splice(0).map((bus) => bus.close()));
    await hints.close();
  });

  /** Opens a bus and waits until it hears hints. */
  async function opened(cluster: "ours" | "theirs" = "ours"): Promise<HintBus> {
    const bus = hints.bus(cluster);
    buses.push(bus);
    await expectHeard(bus, bus);
    await quiet();
    return bus;
  }

  /** Resolves when no hint is on its way any more. */
  async function quiet(): Promise<void> {
    const counts = buses.map(counted);
    const sum = (): number => counts.reduce((total, count) => total + count(), 0);
    for (let before = -1; before !== sum(); await delay(quietMs)) before = sum();
  }

  function start(nodeId: string, table: ClusterTable): ClusterNode {
    const node = new ClusterNode({
      identity: { nodeId, ttlMs },
      address: `${nodeId}:1`,
      table,
      platform,
      open: async () => ({ close: async () => {} }),
      isFatal: () => false,
    });
    nodes.push(node);
    return node;
  }

  test("N-24 every process of a cluster hears a hint, its sender included", async () => {
    const all = [await opened(), await opened(), await opened()];
    const counts = all.map(counted);
    all[0]?.tell();
    for (const count of counts) await expect.poll(count).toBeGreaterThan(0);
  });

  test("N-24 another cluster on the same server does not hear a hint", async () => {
    const [ours, theirs] = [await opened(), await opened("theirs")];
    const count = counted(theirs);
    for (let told = 0; told < 20; told += 1) await expectHeard(ours, ours);
    await quiet();
    // On a busy machine the hint that they told themselves when they were opened may be late.
    expect(count()).toBeLessThanOrEqual(1);
  });

  test("N-24 a listener that has ended hears no hint", async () => {
    const bus = await opened();
    let heard = 0;
    const end = bus.onHint(() => (heard += 1));
    end();
    end();
    bus.tell();
    await expectHeard(bus, bus);
    expect(heard).toBe(0);
  });

  test("N-24 a node looks at most twice for 1,000 hints in a row", async () => {
    const [heard, told] = [await opened(), await opened()];
    const cluster = new MemoryCluster(platform.clock);
    const rows = cluster.table();
    let looks = 0;
    const node = start("a", {
      ...rows,
      onHint: (listener) => heard.onHint(listener),
      look: () => {
        looks += 1;
        return rows.look();
      },
    });
    await expect.poll(() => node.state.claim.type).toBe("serving");
    await delay(quietMs);
    const count = counted(heard);
    const before = looks;
    for (let hint = 0; hint < 1_000; hint += 1) told.tell();
    await expect.poll(count).toBeGreaterThan(0);
    await delay(quietMs);
    // One more may be the node's own look, which comes by itself.
    expect(looks - before).toBeLessThanOrEqual(3);
    expect(looks - before).toBeGreaterThan(0);
  });

  const losses: readonly (readonly [string, (bus: HintBus) => HintBus])[] = [
    ["lost", (bus) => ({ ...plain(bus), onHint: () => () => {} })],
    ["tripled", (bus) => relayed(bus, (listener) => [0, 1, 2].forEach(() => listener()))],
    ["late and out of order", (bus) => relayed(bus, late())],
    ["made up", (bus) => relayed(bus, (listener) => [0, 3, 6, 9].forEach((ms) => setTimeout(listener, ms)))],
  ];
  test.each(losses)("N-24 nodes find the same within their own looks when hints are %s", async (_name, lossy) => {
    const cluster = new MemoryCluster(platform.clock);
    const started: ClusterNode[] = [];
    for (const nodeId of ["a", "b", "c"]) started.push(start(nodeId, hinting(cluster.table(), lossy(await opened()))));
    const views = (): readonly string[] =>
      started.map(({ state, owner }) => `${state.view?.nodes.length} ${owner?.nodeId}`);
    await expect.poll(() => new Set(views()).size, { timeout: 5_000 }).toBe(1);
    await expect.poll(views, { timeout: 5_000 }).toContain(`3 ${started[0]?.owner?.nodeId}`);
    const owner = started.find(({ serving }) => serving !== null);
    await owner?.stop();
    started.splice(
      started.findIndex((node) => node === owner),
      1,
    );
    await expect.poll(() => views().filter((view) => view.startsWith("2 ")), { timeout: 5_000 }).toHaveLength(2);
    await expect.poll(() => started.filter(({ serving }) => serving !== null), { timeout: 5_000 }).toHaveLength(1);
  });

  test("N-24 a closed bus hears and sends no hint, and closes once more", async () => {
    const [closed, other] = [await opened(), await opened()];
    const [ofClosed, ofOther] = [counted(closed), counted(other)];
    await closed.close();
    closed.tell();
    await delay(quietMs);
    expect(ofOther()).toBe(0);
    await expectHeard(other, other);
    await quiet();
    expect(ofClosed()).toBe(0);
    await closed.close();
  });

  test("N-24 a hint that was sent just before its sender closed arrives", async () => {
    const [closed, other] = [await opened(), await opened()];
    const count = counted(other);
    closed.tell();
    await closed.close();
    await expect.poll(count).toBeGreaterThan(0);
  });

  if (!hasServer) return;

  test("N-20 N-24 while the server is away a hint is lost without an error; once it is back everybody looks, and hints arrive again", async () => {
    const [one, two] = [await opened(), await opened()];
    await hints.server?.stop();
    one.tell();
    await delay(quietMs);
    const counts = [counted(one), counted(two)];
    one.tell();
    await hints.server?.start();
    // Each new connection tells its own process to look: hints may have been missed.
    for (const count of counts) await expect.poll(count).toBeGreaterThan(0);
    await expectHeard(two, one);
    await hints.server?.stop();
    await hints.server?.start();
    await expectHeard(one, two);
  });

  test("N-24 a bus closes at once while its server is away", async () => {
    const bus = await opened();
    await hints.server?.stop();
    const unborn = hints.bus("ours");
    const began = performance.now();
    await Promise.all([bus.close(), unborn.close()]);
    expect(performance.now() - began).toBeLessThan(1_000);
    await hints.server?.start();
  });
}

/** Counts from now on what a bus hears. */
function counted(bus: HintBus): () => number {
  let count = 0;
  bus.onHint(() => (count += 1));
  return () => count;
}

/** Sends a hint from one bus, and further ones while that is lost, until another hears one. */
async function expectHeard(by: HintBus, from: HintBus): Promise<void> {
  let isHeard = false;
  const end = by.onHint(() => (isHeard = true));
  const again = setInterval(() => from.tell(), 1_000);
  from.tell();
  await expect.poll(() => isHeard).toBe(true);
  clearInterval(again);
  end();
}

/** Rows whose changes are told over a bus alone. */
function hinting(table: ClusterTable, bus: HintBus): ClusterTable {
  const told = async <Value>(made: Promise<Value>): Promise<Value> => {
    const value = await made;
    bus.tell();
    return value;
  };
  return {
    ...table,
    onHint: (listener) => bus.onHint(listener),
    join: (node) => told(table.join(node)),
    reap: (incarnation) => told(table.reap(incarnation)),
    acquire: (incarnation, epoch) => told(table.acquire(incarnation, epoch)),
    handOver: (incarnation, epoch, to) => told(table.handOver(incarnation, epoch, to)),
    drain: (incarnation) => told(table.drain(incarnation)),
    leave: (incarnation) => told(table.leave(incarnation)),
  };
}

function plain(bus: HintBus): HintBus {
  return { tell: () => bus.tell(), onHint: (listener) => bus.onHint(listener), close: () => bus.close() };
}

function relayed(bus: HintBus, relay: (listener: () => void) => void): HintBus {
  return { ...plain(bus), onHint: (listener) => bus.onHint(() => relay(listener)) };
}

/** Each hint comes a second later than the next one. */
function late(): (listener: () => void) => void {
  let count = 0;
  return (listener) => {
    count += 1;
    setTimeout(listener, count % 2 === 0 ? 50 : 1_000);
  };
}
