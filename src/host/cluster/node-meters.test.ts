import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openMeters, type ProcessMeters } from "../../adapters/telemetry/meters.ts";
import { systemPlatform } from "../../adapters/platform/system-platform.ts";
import type { ClusterTable } from "../../core/port/cluster-table.ts";
import { MemoryCluster } from "../../testing/cluster/memory-cluster.ts";
import { valueOf } from "../../testing/metrics-text.ts";
import { ClusterNode } from "./cluster-node.ts";

const platform = systemPlatform("error", () => {});
const ttlMs = 600;

describe("what a node counts of itself", () => {
  let cluster: MemoryCluster;
  let meters: ProcessMeters;
  const nodes: ClusterNode[] = [];
  beforeEach(() => {
    cluster = new MemoryCluster(platform.clock);
    meters = openMeters();
  });
  afterEach(async () => {
    await Promise.all(nodes.splice(0).map((node) => node.stop()));
  });

  function start(nodeId: string, changed: Partial<ClusterTable> = {}, isMetered = true): ClusterNode {
    const node = new ClusterNode({
      identity: { nodeId, ttlMs },
      address: `${nodeId}:1`,
      table: { ...cluster.table(), ...changed },
      platform,
      ...(isMetered ? { meters: meters.ofNode() } : {}),
      open: async () => ({ close: async () => {} }),
      isFatal: () => false,
    });
    nodes.push(node);
    return node;
  }

  const metric = async (name: string): Promise<number> => valueOf((await meters.text()).text, `heddle_node_${name}`);

  test("renewals in time, late and failed", async () => {
    const rows = cluster.table();
    const usual = (incarnation: number): Promise<boolean | null> => rows.renew(incarnation);
    let renew = usual;
    const node = start("a", { renew: (incarnation) => renew(incarnation) });
    await expect.poll(() => metric('renewals_total{outcome="in-time"}')).toBeGreaterThan(0);
    renew = () => Promise.reject(new Error("the database is away"));
    await expect.poll(() => metric('renewals_total{outcome="failed"}')).toBeGreaterThan(0);
    await expect.poll(() => node.isLate).toBe(true);
    renew = usual;
    await expect.poll(() => metric('renewals_total{outcome="late"}')).toBeGreaterThan(0);
  });

  test("how far it is with the right to write, how long it took to get it and to hand it over, and refused writes", async () => {
    const node = start("a");
    expect(await metric('claim{state="none"}')).toBe(1);
    await expect.poll(() => metric('claim{state="serving"}')).toBe(1);
    expect(await metric('claim{state="none"}')).toBe(0);
    expect(await metric("take_over_seconds_count")).toBe(1);
    node.refusedAsStale(node.state.incarnation ?? 0);
    expect(await metric("fences_refused_total")).toBe(1);
    await expect.poll(() => metric("take_over_seconds_count")).toBe(2);
    start("b", {}, false);
    await expect.poll(() => node.state.view?.nodes.length).toBe(2);
    await node.stop();
    expect(await metric("hand_over_seconds_count")).toBe(1);
  });

  test("hints that were joined or after which nothing had changed, and changes that no hint told of", async () => {
    let hint = (): void => {};
    const node = start("a", {
      onHint(listener) {
        hint = listener;
        return () => {};
      },
    });
    await expect.poll(() => node.state.claim.type).toBe("serving");
    await expect.poll(() => node.owner).not.toBeNull();
    const before = await metric('hints_total{type="useless"}');
    for (let count = 0; count < 10; count += 1) hint();
    expect(await metric('hints_total{type="joined"}')).toBe(9);
    await expect.poll(() => metric('hints_total{type="useless"}')).toBe(before + 1);
    const missed = await metric('hints_total{type="missed"}');
    start("b", {}, false);
    await expect.poll(() => metric('hints_total{type="missed"}')).toBeGreaterThan(missed);
  });
});
