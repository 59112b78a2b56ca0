import { expect, test } from "vitest";
import type { NodeRow } from "../../core/cluster/cluster-view.ts";
import { must } from "../../core/base/assert.ts";
import { authorOf, createBlock, openWorld, person } from "../document/world.test-support.ts";
import { EarlyReading } from "./early-reading.ts";

const ttlMs = 1_500;

/** A node that waits beside an owner, with a document to be read, and how often the store was asked for. */
async function waitingNode() {
  const world = await openWorld();
  await authorOf(world, person("ada"));
  const header = await createBlock(world, { kind: "file", status: "done" });
  let changed = (): void => {};
  const node = {
    owner: null as NodeRow | null,
    state: { incarnation: 1, view: null } as never,
    onChanged(listener: () => void) {
      changed = listener;
      return () => (changed = () => {});
    },
  };
  let asked = 0;
  const reading = new EarlyReading({
    node,
    ttlMs,
    platform: world.platform,
    store: () => {
      asked += 1;
      return world.store;
    },
  });
  /** The node looks at the rows, where the owner has that much of its time left; null: there is no owner. */
  const looks = (remainingMs: number | null, incarnation = 2, state: NodeRow["state"] = "live"): void => {
    node.owner = remainingMs === null ? null : ({ incarnation, remainingMs, state } as NodeRow);
    node.state = { incarnation: 1, view: {} } as never;
    changed();
  };
  const taken = async () => {
    const early = reading.take();
    return early === null ? null : ((await early.take(world.store, header))?.id ?? "not read");
  };
  return { clock: world.clock, looks, reading, taken, header, times: () => asked };
}

test("documents are read while the time of an owner runs out who does not renew it, and given to who takes over", async () => {
  const { clock, looks, taken, header, times } = await waitingNode();
  looks(ttlMs);
  await clock.advance(0.6 * ttlMs - 1);
  expect(times()).toBe(0);
  await clock.advance(1);
  expect(times()).toBe(1);
  looks(100);
  looks(null);
  looks(ttlMs, 1);
  expect(times()).toBe(1);
  expect(await taken()).toBe(header.id);
  expect(await taken()).toBe(null);
});

test("documents are read once an owner is leaving, also while it renews its row to the end", async () => {
  const { clock, looks, taken, header, times } = await waitingNode();
  looks(ttlMs);
  looks(ttlMs, 2, "draining");
  await clock.settle();
  expect(times()).toBe(1);
  looks(0.9 * ttlMs, 2, "draining");
  looks(ttlMs, 2, "draining");
  looks(null);
  looks(ttlMs, 1);
  expect(times()).toBe(1);
  expect(await taken()).toBe(header.id);
});

test("what was read is dropped when the owner is there after all, and where another node takes over", async () => {
  const { clock, looks, taken, times } = await waitingNode();
  looks(100);
  await clock.settle();
  expect(times()).toBe(1);
  looks(ttlMs);
  expect(await taken()).toBe(null);
  looks(100);
  await clock.settle();
  looks(ttlMs, 3);
  expect(await taken()).toBe(null);
  expect(times()).toBe(2);
});

test("an owner who renews in time has nothing read beside it, and a node that has closed reads nothing", async () => {
  const { clock, looks, reading, times } = await waitingNode();
  for (let count = 0; count < 20; count += 1) {
    looks(0.75 * ttlMs);
    await clock.advance(ttlMs / 4 - 1);
  }
  expect(times()).toBe(0);
  reading.close();
  await clock.advance(10 * ttlMs);
  looks(100);
  expect(times()).toBe(0);
  expect(must(reading, "it is there").take()).toBe(null);
});
