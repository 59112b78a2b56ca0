import { expect, test } from "vitest";
import { systemPlatform } from "../../adapters/platform/system-platform.ts";
import { MemoryCluster } from "../../testing/cluster/memory-cluster.ts";
import { simulatedClock } from "../../testing/simulated-clock.ts";
import { ClusterNode } from "./cluster-node.ts";

const ttlMs = 1_600;
/** How often a node looks by itself. */
const lookMs = 400;

test("N-24 hints that tell nothing new cost a node three looks a second at most, and a true one is followed at once again", async () => {
  const clock = simulatedClock();
  const cluster = new MemoryCluster(clock);
  const rows = cluster.table();
  let hint = (): void => {};
  let looks = 0;
  const node = new ClusterNode({
    identity: { nodeId: "a", ttlMs },
    address: "a:1",
    table: {
      ...rows,
      onHint(listener) {
        hint = listener;
        return () => {};
      },
      look: () => {
        looks += 1;
        return rows.look();
      },
    },
    platform: { ...systemPlatform("error", () => {}), clock },
    open: async () => ({ close: async () => {} }),
    isFatal: () => false,
  });
  const looksIn = async (ms: number, does: () => void): Promise<number> => {
    const before = looks;
    for (let passed = 0; passed < ms; passed += 1) {
      does();
      await clock.advance(1);
    }
    return looks - before;
  };
  await clock.advance(500);
  expect(node.state.claim.type).toBe("serving");
  expect(await looksIn(10 * lookMs, () => {})).toBe(10);
  expect(await looksIn(7, hint)).toBe(1);
  // The time between looks has not grown yet.
  await looksIn(1_000, hint);
  expect(await looksIn(10 * lookMs, hint)).toBeLessThanOrEqual((10 * lookMs) / 320 + 1);
  await rows.join({ nodeId: "b", ttlMs, address: "b:1", again: null });
  await clock.advance(lookMs);
  expect(node.state.view?.nodes).toHaveLength(2);
  expect(await looksIn(7, hint)).toBe(1);
  void node.stop();
  await clock.advance(1_000);
  expect(await looksIn(lookMs, hint)).toBe(0);
});
