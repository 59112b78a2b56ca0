import { describe, expect, test } from "vitest";
import { must } from "../../../core/base/assert.ts";
import type { BlockId, RunId } from "../../../core/base/ids.ts";
import type { ToolAnswer } from "../../../core/tool/base/types.ts";
import { openLeaseKeeper } from "../../lease/keeper.ts";
import type { LeaseKeeper } from "../../lease/types.ts";
import { seededRandom } from "../../../testing/seeded-random.ts";
import { accepted, calls, pause, says, World } from "../queue/conversation.test-support.ts";
import type { ToolSource } from "../base/ports.ts";

const canvasId = "canvas/1/0" as BlockId;
const done: ToolAnswer = { ok: true, content: { done: true } };

/**
 * A world whose model calls `out` once; the call waits for a person, so that no part of the reply comes close to it.
 */
async function awaitingApproval(
  run: ToolSource["run"],
): Promise<{ world: World; runId: RunId; allow: () => Promise<void> }> {
  const world = await World.start({ script: (_request, turn) => (turn === 0 ? calls("out") : says("done")) });
  world.tools.run = run;
  const { runId } = await world.send(await world.newRoot(), null, "hi");
  await world.clock.advance(5_000);
  const { state } = must(await world.store.run(runId), "a run");
  if (state.type !== "awaiting-approval") throw new Error(`the run is ${state.type}`);
  const { callId, argumentsHash } = state.request;
  const allow = async (): Promise<void> => {
    const answer = { runId, callId, argumentsHash, decision: "allow", remember: "once" } as const;
    accepted(await world.conversations.approvals.answer(world.ada, answer));
    await world.clock.settle();
  };
  return { world, runId, allow };
}

/** The keeper of the run's lease, which writes leases to the store from now on. */
async function leaseOf(world: World, runId: RunId): Promise<{ keeper: LeaseKeeper; renewals: number[] }> {
  const logger = { info: () => {}, warn: () => {}, error: (event: string) => void world.errors.push(event) };
  const keeper = await openLeaseKeeper(world.store, { clock: world.clock, random: seededRandom(3), logger });
  accepted(await keeper.acquire({ canvasId, runId, holderName: "scribe", revisionId: "1-00000000" }));
  world.leases.heartbeat = (of) => keeper.heartbeat(of);
  const renewals: number[] = [];
  world.onCommit = (writes) => {
    if (writes.some(({ type }) => type === "renew-lease")) renewals.push(world.clock.monotonic());
    return null;
  };
  return { keeper, renewals };
}

describe("C-05 a tool call", () => {
  test("sends a heartbeat at its start, every three seconds, at each progress text and at its end", async () => {
    const times = [0, 2_000, 5_000];
    const { world, allow } = await awaitingApproval(async (_call, context) => {
      for (const [index, at] of times.entries()) {
        await pause(world.clock, at - (times[index - 1] ?? 0), null);
        if (index > 0) context.progress(`at ${at}`);
      }
      await pause(world.clock, 1_000, null);
      return done;
    });
    const before = world.leases.heartbeats.length;
    const start = world.clock.monotonic();
    await allow();
    await world.clock.advance(5_999);
    expect(world.leases.heartbeats.slice(before).map((at) => at - start)).toEqual([0, 2_000, 3_000, 5_000]);
    world.onCommit = () => "STORE_FULL";
    await world.clock.advance(1);
    expect(world.leases.heartbeats.slice(before).map((at) => at - start)).toEqual([
      0, 2_000, 3_000, 5_000, 6_000, 6_000,
    ]);
  });

  test("of a minute that reports progress all the time renews its lease only as often as the TTL needs", async () => {
    const { world, runId, allow } = await awaitingApproval(async (_call, context) => {
      for (let part = 0; part < 600; part += 1) {
        await pause(world.clock, 100, null);
        context.progress(`part ${part}\n`);
      }
      return done;
    });
    const { keeper, renewals } = await leaseOf(world, runId);
    // A fifth of the TTL of fifteen seconds.
    const everyMs = 3_000;
    const start = world.clock.monotonic();
    await allow();
    await world.clock.advance(60_000);
    const due = Array.from({ length: 60_000 / everyMs }, (_, index) => (index + 1) * everyMs);
    expect(renewals.map((at) => at - start)).toEqual(due);
    expect(keeper.isHeld(canvasId)).toBe(true);
    keeper.close();
  });

  test("that starts when a renewal is due renews the lease once, though the call uses the lease immediately", async () => {
    let keeper: LeaseKeeper | null = null;
    const { world, runId, allow } = await awaitingApproval(async (_call, context) => {
      const grant = must(keeper?.grantOf(context.runId, canvasId), "the run's lease");
      const used = await keeper?.use({ canvasId, leaseId: grant.leaseId, runId: context.runId });
      expect(used).toMatchObject({ ok: true });
      return done;
    });
    const lease = await leaseOf(world, runId);
    keeper = lease.keeper;
    await world.clock.advance(10_000);
    await allow();
    expect(lease.renewals).toHaveLength(1);
    keeper.close();
  });
});
