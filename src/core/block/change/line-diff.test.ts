import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scaled } from "../../../../test/scale.ts";
import { diffChanges } from "./diff-changes.ts";
import { diffLines, type LineRun } from "./line-diff.ts";
import { applyChanges } from "./text-change.ts";

const list = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 30 });

/** The length of the longest common subsequence, by the simple quadratic algorithm. */
function commonLength(a: readonly string[], b: readonly string[]): number {
  let previous = Array.from({ length: b.length + 1 }, () => 0);
  for (const line of a) {
    const current = [0];
    for (const [index, other] of b.entries()) {
      current.push(
        line === other ? (previous[index] ?? 0) + 1 : Math.max(previous[index + 1] ?? 0, current[index] ?? 0),
      );
    }
    previous = current;
  }
  return previous.at(-1) ?? 0;
}

function replayed(before: readonly string[], after: readonly string[], runs: readonly LineRun[]): readonly string[] {
  const lines = [...before];
  for (const run of runs.toReversed()) {
    lines.splice(run.oldStart, run.oldEnd - run.oldStart, ...after.slice(run.newStart, run.newEnd));
  }
  return lines;
}

function unchangedCount(before: readonly string[], runs: readonly LineRun[]): number {
  return before.length - runs.reduce((sum, run) => sum + run.oldEnd - run.oldStart, 0);
}

/** Whole numbers below `bound`, the same on every run. */
function scattered(count: number, bound: number, seed: number): readonly string[] {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return String(Math.floor((state / 2 ** 32) * bound));
  });
}

describe("diffLines", () => {
  test("transforms one list into the other and keeps as many lines as possible", () => {
    fc.assert(
      fc.property(list, list, (before, after) => {
        const runs = diffLines(before, after);
        expect(replayed(before, after, runs)).toEqual(after);
        expect(unchangedCount(before, runs)).toBe(commonLength(before, after));
        for (const [index, run] of runs.entries()) {
          expect(run.oldEnd > run.oldStart || run.newEnd > run.newStart).toBe(true);
          const last = runs[index - 1];
          if (last !== undefined) expect(run.oldStart > last.oldEnd && run.newStart > last.newEnd).toBe(true);
        }
      }),
      { numRuns: scaled(500) },
    );
  });

  const block = scattered(400, 900, 4);
  const [small, otherSmall] = [scattered(30, 10, 3), scattered(30, 10, 6)];
  const [large, otherLarge] = [scattered(600, 60, 5), scattered(600, 60, 7)];
  const halved = scattered(900, 60, 8);
  // The shortest script would keep 156, 544, 544 and 450 lines.
  test.each([
    ["shuffled lines", { before: scattered(700, 60, 1), after: scattered(700, 60, 2), least: 143 }],
    [
      "equal lines near the beginning",
      { before: [...small, ...block, ...large], after: [...otherSmall, ...block, ...otherLarge], least: 530 },
    ],
    [
      "equal lines near the end",
      { before: [...large, ...block, ...small], after: [...otherLarge, ...block, ...otherSmall], least: 538 },
    ],
    ["half of the lines", { before: halved, after: halved.filter((_line, at) => at % 2 === 0), least: 450 }],
  ])("keeps nearly as many lines as possible where the search is cut short: %s", (_name, { before, after, least }) => {
    const runs = diffLines(before, after);
    expect(replayed(before, after, runs)).toEqual(after);
    expect(unchangedCount(before, runs)).toBeGreaterThanOrEqual(least);
    expect(unchangedCount(before, runs)).toBeLessThanOrEqual(commonLength(before, after));
  });

  test("takes bounded time for any 40,000 lines", () => {
    const shared = scattered(40_000, 20_000, 1);
    const pairs: readonly (readonly [name: string, before: readonly string[], after: readonly string[]])[] = [
      ["disjoint", scattered(40_000, 1e9, 1), scattered(40_000, 1e9, 2).map((line) => `x${line}`)],
      ["half shared", scattered(40_000, 80_000, 3), scattered(40_000, 80_000, 4)],
      ["two kinds of lines", scattered(40_000, 2, 5), scattered(40_000, 2, 6)],
      ["reversed", shared, shared.toReversed()],
    ];
    for (const [name, before, after] of pairs) {
      const started = performance.now();
      const runs = diffLines(before, after);
      const took = performance.now() - started;
      let kept = 0;
      let [oldAt, newAt] = [0, 0];
      for (const run of [...runs, { oldStart: before.length, oldEnd: 0, newStart: after.length, newEnd: 0 }]) {
        expect(run.oldStart - oldAt).toBe(run.newStart - newAt);
        for (; oldAt < run.oldStart; oldAt += 1, newAt += 1, kept += 1) {
          if (before[oldAt] !== after[newAt]) throw new Error(`${name}: kept lines differ`);
        }
        [oldAt, newAt] = [run.oldEnd, run.newEnd];
      }
      expect({ name, bounded: took < 2_000 }).toEqual({ name, bounded: true });
      if (name === "two kinds of lines") expect(kept).toBeGreaterThan(20_000);
    }
  });
});

test("the changes between two texts give exactly the second text and touch little", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "😀", "😁", "\n", "\r\n"), maxLength: 40 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const changes = diffChanges(before, after);
      expect(applyChanges(before, changes)).toBe(after);
      let at = 0;
      for (const change of changes) {
        expect(change.from).toBeGreaterThanOrEqual(at);
        expect(change.insert.isWellFormed()).toBe(true);
        at = change.to;
      }
    }),
    { numRuns: scaled(1000) },
  );
  expect(diffChanges("one\ntwo x\nthree\n", "one\ntwo y\nthree\nfour\n")).toEqual([
    { from: 8, to: 9, insert: "y" },
    { from: 16, to: 16, insert: "four\n" },
  ]);
});
