import { describe, expect, test } from "vitest";
import { openMemoryStore } from "../../../adapters/storage/memory/open-memory-store.ts";
import type { BlockId, RunId } from "../../../core/base/ids.ts";
import type { StreamPart } from "../../../core/model/stream-part.ts";
import { simulatedClock, type SimulatedClock } from "../../../testing/simulated-clock.ts";
import { seededRandom } from "../../../testing/seeded-random.ts";
import { openLeaseKeeper } from "../../lease/keeper.ts";
import type { LeaseKeeper } from "../../lease/types.ts";
import { accepted, code } from "../queue/conversation.test-support.ts";
import { LeaseHold } from "./lease-hold.ts";

const canvasId = "canvas/1/0" as BlockId;
const runId = "run" as RunId;
const going = new AbortController().signal;
const text: readonly StreamPart[] = [{ type: "text-delta", index: 0, text: "and so on " }];
const thinking: readonly StreamPart[] = [{ type: "thinking-delta", index: 0, text: "hm" }];

interface Held {
  readonly clock: SimulatedClock;
  readonly keeper: LeaseKeeper;
  readonly hold: LeaseHold;
  readonly isHeld: () => boolean;
  /** Reads the canvas under the lease. */
  readonly use: () => Promise<string>;
}

async function open(store = openMemoryStore()): Promise<Held> {
  const clock = simulatedClock();
  const logger = { info() {}, warn() {}, error() {} };
  const keeper = await openLeaseKeeper(store, { clock, random: seededRandom(1), logger });
  const { leaseId } = accepted(
    await keeper.acquire({ canvasId, runId, holderName: "scribe", revisionId: "1-00000000" }),
  );
  return {
    clock,
    keeper,
    hold: new LeaseHold(keeper, clock),
    isHeld: () => keeper.isHeld(canvasId),
    use: async () => code(await keeper.use({ canvasId, leaseId, runId })),
  };
}

describe("14.7 a lease", () => {
  test.each([15_300, 120_000, 599_000])("C-05 is held through a request that is silent for %i ms", async (ms) => {
    const { clock, hold, isHeld } = await open();
    await hold.beginRequest(runId, going);
    await clock.advance(ms);
    expect(isHeld()).toBe(true);
  });

  test("is held through a tool that is silent, and no longer once the tool has ended", async () => {
    const { clock, hold, isHeld } = await open();
    const work = hold.begin(runId, going);
    await clock.advance(60_000);
    expect(isHeld()).toBe(true);
    work.end();
    await clock.advance(14_000);
    expect(isHeld()).toBe(true);
    await clock.advance(1_000);
    expect(isHeld()).toBe(false);
    expect(clock.timers).toBe(0);
  });

  test("ends ten minutes after the last sign of its work", async () => {
    const { clock, hold, isHeld } = await open();
    const work = hold.begin(runId, going);
    await clock.advance(500_000);
    work.sign(thinking);
    await clock.advance(599_000);
    expect(isHeld()).toBe(true);
    await clock.advance(16_000);
    expect(isHeld()).toBe(false);
  });

  test("is lost by text alone, 60 s after its last use; thinking in between changes nothing about the text after it", async () => {
    const { clock, hold, isHeld, use } = await open();
    const work = await hold.beginRequest(runId, going);
    expect(await use()).toBe("ok");
    for (let at = 0; at < 58; at += 1) {
      work.sign(text);
      await clock.advance(1_000);
    }
    expect(isHeld()).toBe(true);
    for (let at = 0; at < 18; at += 1) {
      work.sign(text);
      await clock.advance(1_000);
    }
    expect(isHeld()).toBe(false);
    expect(await use()).toBe("LEASE_EXPIRED");
  });

  test("is kept by a call that streams for minutes, also where nothing of it can be shown yet", async () => {
    const { clock, hold, isHeld } = await open();
    const work = await hold.beginRequest(runId, going);
    work.sign([{ type: "tool-call-start", index: 0, id: "c", name: "canvas_apply_patch" }]);
    for (let at = 0; at < 20; at += 1) {
      await clock.advance(20_000);
      work.sign([]);
    }
    expect(isHeld()).toBe(true);
  });

  test("is released by the second round in a row that does not use it, and by no earlier one", async () => {
    const { clock, hold, isHeld, use } = await open();
    const round = async (uses: boolean): Promise<void> => {
      (await hold.beginRequest(runId, going)).end();
      await clock.advance(1_000);
      if (uses) expect(await use()).toBe("ok");
    };
    for (const uses of [true, false, true, false, false]) {
      await round(uses);
      expect(isHeld()).toBe(true);
    }
    await round(false);
    expect(isHeld()).toBe(false);
    expect(await use()).toBe("LOCK_NOT_OWNED");
  });

  test("of work that was aborted is renewed no more", async () => {
    const { clock, hold, isHeld } = await open();
    const stopping = new AbortController();
    hold.begin(runId, stopping.signal);
    await clock.advance(30_000);
    stopping.abort();
    await clock.advance(15_000);
    expect(isHeld()).toBe(false);
  });

  test("C-10 of a process that died is free after 15 s, however long its work would have kept it", async () => {
    const store = openMemoryStore();
    const { clock, hold } = await open(store);
    hold.begin(runId, going);
    await clock.advance(45_000);
    const left = await openMemoryStore(store.image()).lease(canvasId);
    expect(left?.held?.expiresAtMonotonicMs).toBeLessThanOrEqual(clock.monotonic() + 15_000);
  });

  test("that a person ended is not renewed by work that is still under way", async () => {
    const { clock, hold, keeper, isHeld, use } = await open();
    const work = hold.begin(runId, going);
    await keeper.takeControl(canvasId);
    work.sign(thinking);
    await clock.advance(30_000);
    expect(isHeld()).toBe(false);
    expect(await use()).toBe("STALE_EPOCH");
  });
});
