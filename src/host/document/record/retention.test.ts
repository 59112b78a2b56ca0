import { describe, expect, test } from "vitest";
import { hubLimits, retentionFor, type Retention } from "./limits.ts";
import type { BlockChange } from "../../../core/block/types.ts";
import { countDroppable, nextCompaction, nextCompactionByLength, unitsNamedBy, withOwners } from "./retention.ts";

const retention = { changesMin: 4, changesMax: 20, bytesMax: 1e9, stepChanges: 2, ageMs: 100 } as Retention;
/** Changes made at 1, 2, 3 … */
const log = (length: number): readonly { readonly at: number }[] =>
  Array.from({ length }, (_, index) => ({ at: index + 1 }));

describe("which changes of a log can be dropped", () => {
  test.each<readonly [what: string, length: number, now: number, droppable: number]>([
    ["none of a young log", 10, 50, 0],
    ["those above the most that is kept, however young", 23, 50, 3],
    ["those that are old, but for the fewest that are kept", 10, 1_000, 6],
    ["those that are older than the age", 10, 103, 3],
    ["none of a log of the fewest", 4, 1_000, 0],
    ["none of a shorter log", 2, 1_000, 0],
  ])("%s", (_what, length, now, droppable) => {
    expect(countDroppable(log(length), now, retention)).toBe(droppable);
  });

  test("never the last change", () => {
    const none = { ...retention, changesMin: 0, changesMax: 0 };
    expect(countDroppable(log(3), 1_000, { ...none, changesMax: 5 })).toBe(2);
  });
});

describe("when a log is due again", () => {
  test("by its length alone: a step above the fewest that are kept", () => {
    expect(nextCompactionByLength(11, retention)).toEqual({ notBefore: Infinity, unlessVersion: 16 });
    expect(nextCompactionByLength(11, { ...retention, changesMin: 0 }).unlessVersion).toBe(13);
    expect(nextCompaction(log(5), 11, retention)).toEqual({ notBefore: Infinity, unlessVersion: 16 });
  });

  test("by age, once its oldest step is old enough, or by its length before that", () => {
    expect(nextCompaction(log(6), 11, retention)).toEqual({ notBefore: 102, unlessVersion: 32 });
    expect(nextCompaction(log(32), 1, { ...retention, changesMax: 80 })).toEqual({ notBefore: 104, unlessVersion: 90 });
  });

  test("by the latest time among the oldest, because a clock may have been set back", () => {
    expect(nextCompaction([{ at: 9 }, { at: 3 }, ...log(6)], 1, retention).notBefore).toBe(109);
  });
});

describe("whose change is it", () => {
  const change = (body: object): BlockChange => ({ body }) as unknown as BlockChange;
  const typed = change({ type: "text", unit: { id: "u" }, spans: [{ replica: 7, seq: 0, length: 1 }] });
  const kept = change({
    type: "text",
    unit: { id: "k" },
    kept: { reviewer: 8 },
    spans: [{ replica: 7, seq: 0, length: 1 }],
  });
  const rejected = change({ type: "review", unit: { id: "r" }, reviewer: 9 });
  const renamed = change({ type: "renamed" });
  const empty = change({ type: "text", unit: { id: "e" }, spans: [] });

  test("the writer's, the reviewer's, or nobody's; each owner is looked up once", async () => {
    const asked: number[] = [];
    const owned = await withOwners([typed, kept, renamed, rejected, typed, empty], async (replica) => {
      asked.push(replica);
      return replica;
    });
    expect(owned.map(({ owner }) => owner)).toEqual([7, 8, 9, 7]);
    expect(owned.map(({ change: each }) => each)).toEqual([typed, kept, rejected, typed]);
    expect(asked).toEqual([7, 8, 9]);
  });

  test("names its own unit, or those that it undoes or redoes", () => {
    expect([typed, rejected, renamed].map(unitsNamedBy)).toEqual([["u"], ["r"], []]);
    expect(unitsNamedBy(change({ type: "text", unit: { id: "x" }, undoes: ["a", "b"] }))).toEqual(["a", "b"]);
    expect(unitsNamedBy(change({ type: "review", unit: { id: "x" }, redoes: ["c"] }))).toEqual(["c"]);
  });
});

test.each([
  [0, 0, 20_000],
  [7, 7, 20_000],
  [70, 70, 200_000],
])("19.12 with %i days of history, changes of %i days are kept, and at most %i", (days, kept, changesMax) => {
  const retention = retentionFor(days);
  expect(retention).toEqual({ ...hubLimits.retention, ageMs: kept * 86_400_000, changesMax });
  const old = Array.from({ length: 5_000 }, () => ({ at: 0 }));
  expect(countDroppable(old, (days + 1) * 86_400_000, retention)).toBe(4_000);
  if (days > 0) expect(countDroppable(old, days * 86_400_000 - 1, retention)).toBe(0);
});
