import { expect, test } from "vitest";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import type { PersonId } from "../../core/base/ids.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { firstBrokenEntry } from "../../core/rights/audit.ts";
import { workspaceKey } from "../../core/rights/object-key.ts";
import { simulatedClock } from "../../testing/simulated-clock.ts";
import { refusalsPerHourMax } from "./refusal-bound.ts";
import { RightsKeeper } from "./rights-keeper.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

async function opened() {
  const clock = simulatedClock();
  const store = openMemoryStore();
  const keeper = await RightsKeeper.open(store, clock);
  accept(await keeper.begin("ada" as PersonId, "Ada"));
  const refuse = async (
    actor: string,
    act = "document.deleted",
    object: string = workspaceKey,
    address = "192.0.2.0",
  ) => accept(await keeper.record({ actor, act, object, address, credential: null, outcome: "refused" }));
  const entries = async () => (await store.audit(0, 100_000)).filter(({ outcome }) => outcome === "refused");
  return { clock, store, keeper, refuse, entries };
}

test("A-40 a flood of refusals leaves one entry at once and one with their number a minute later, then less and less often", async () => {
  const { clock, store, keeper, refuse, entries } = await opened();
  for (let times = 0; times < 1_000; times += 1) await refuse("bob", "document.deleted", "document:doc_1");
  expect((await entries()).map(({ after }) => after)).toEqual([null]);
  await clock.advance(minuteMs);
  await keeper.record({
    actor: "ada",
    act: "x",
    object: workspaceKey,
    address: null,
    credential: null,
    outcome: "done",
  });
  expect((await entries()).map(({ object, after }) => [object, after])).toEqual([
    ["document:doc_1", null],
    ["document:doc_1", { times: 999 }],
  ]);
  // A day of a refusal a minute, of two objects.
  for (let minute = 0; minute < 24 * 60; minute += 1) {
    await refuse("bob", "document.deleted", `document:doc_${minute % 2}`);
    await clock.advance(minuteMs);
  }
  await keeper.close();
  const all = await entries();
  expect(all.length).toBeLessThan(40);
  const told = all.reduce((sum, { after }) => sum + (after === null ? 1 : Number(after["times"])), 0);
  expect(told).toBe(1_000 + 24 * 60);
  expect(all.at(-1)?.object).toBe(workspaceKey);
  expect(firstBrokenEntry(await store.audit(0, 100_000))).toBeNull();
});

test("A-40 refusals of ever new people, addresses and acts are bounded in all, and every one of them is counted", async () => {
  const { clock, refuse, entries, keeper } = await opened();
  for (let hour = 0; hour < 24; hour += 1) {
    for (let times = 0; times < 1_000; times += 1) {
      await refuse("unknown", `sign-in.refused ${times % 7}`, workspaceKey, `2001:db8:${hour}:${times}::`);
    }
    await clock.advance(hourMs);
  }
  await keeper.close();
  const all = await entries();
  expect(all.length).toBeLessThan(24 * (refusalsPerHourMax + 10));
  const told = all.reduce((sum, { after }) => sum + (after === null ? 1 : Number(after["times"])), 0);
  expect(told).toBe(24_000);
  expect(
    all
      .filter(({ actor }) => actor === "many")
      .every(({ act, address }) => act === "sign-in.refused" && address === null),
  ).toBe(true);
});
