import { describe, expect, test } from "vitest";
import type { ReplicaId } from "../../../core/text/types.ts";
import { TimeShare, TimeShares } from "./time-shares.ts";

/** Lets clients work one after the other, each waiting as long as it has to; returns how many ms each used in a while. */
function used(costs: readonly number[], { present }: { readonly present: boolean }): readonly number[] {
  const shares = new TimeShares();
  const clients = costs.map((costMs) => ({
    costMs,
    share: new TimeShare({ pauseReading: () => {} }),
    nextAt: 0,
    usedMs: 0,
  }));
  const reader = new TimeShare({ pauseReading: () => {} });
  for (let now = 0; now < 10_000;) {
    if (present) shares.arrived(reader, now);
    const next = clients.find(({ nextAt }) => nextAt <= now);
    if (next === undefined) {
      now += 1;
      continue;
    }
    shares.arrived(next.share, now);
    now += next.costMs;
    next.usedMs += next.costMs;
    next.nextAt = now + shares.spend(next.share, next.costMs, now);
  }
  return clients.map(({ usedMs }) => usedMs);
}

describe("TimeShares", () => {
  test("leaves the main thread to a client that is alone", () => {
    expect(used([20], { present: false })[0]).toBe(10_000);
  });

  test("leaves more than half of the time to others when one client uses all it can", () => {
    const [ms = 0] = used([20], { present: true });
    expect(ms).toBeGreaterThan(3_500);
    expect(ms).toBeLessThan(4_700);
  });

  test("leaves as much when four clients do, and each of them gets a part", () => {
    const each = used([20, 20, 20, 20], { present: true });
    expect(each.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(6_000);
    for (const ms of each) expect(ms).toBeGreaterThan(500);
  });

  test("never delays a client that types", () => {
    const shares = new TimeShares();
    const [typist, other] = [new TimeShare({ pauseReading: () => {} }), new TimeShare({ pauseReading: () => {} })];
    for (let now = 0; now < 60_000; now += 20) {
      shares.arrived(other, now);
      shares.spend(other, 15, now);
      shares.arrived(typist, now);
      expect(shares.spend(typist, 0.5, now)).toBe(0);
    }
  });

  test("charges an edit to the client that edits as its replica, while it is connected", () => {
    const shares = new TimeShares();
    const waits: number[] = [];
    const one = new TimeShare({ pauseReading: (waitMs) => void waits.push(waitMs) });
    const [replica, nobody] = [7 as ReplicaId, 8 as ReplicaId];
    shares.join(one, replica);
    shares.arrived(new TimeShare({ pauseReading: () => {} }), 100);
    shares.spentFor({ replica: nobody, ms: 450, at: 1_000 });
    expect(waits).toEqual([]);
    shares.spentFor({ replica, ms: 450, at: 1_000 });
    expect(waits).toEqual([750]);
    shares.drop(one);
    shares.spentFor({ replica, ms: 450, at: 1_000 });
    expect(waits).toHaveLength(1);
  });

  test("forgets a client that is gone", () => {
    const shares = new TimeShares();
    const [one, other] = [new TimeShare({ pauseReading: () => {} }), new TimeShare({ pauseReading: () => {} })];
    shares.arrived(other, 0);
    shares.arrived(one, 1);
    shares.drop(other);
    shares.drop(one);
    shares.arrived(one, 3_000);
    expect(shares.spend(one, 1_000, 4_000)).toBe(0);
  });
});
