import fc from "fast-check";
import { expect, test } from "vitest";
import { scaled } from "../../../../test/scale.ts";
import { EventGraph } from "./graph.ts";
import type { LvRanges, Version } from "./version.ts";

/** Runs of units: how long each is, and on which earlier units it builds, as numbers that are taken modulo what is there. */
interface Drawn {
  readonly runs: readonly { readonly length: number; readonly builtOn: readonly number[] }[];
  readonly a: readonly number[];
  readonly b: readonly number[];
}

const numbers = (max: number) => fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: max });

/** `lengthMax` longer than a comparison by marks reaches makes it give up in some of the graphs. */
const drawn = (lengthMax: number): fc.Arbitrary<Drawn> =>
  fc.record({
    runs: fc.array(fc.record({ length: fc.integer({ min: 1, max: lengthMax }), builtOn: numbers(6) }), {
      minLength: 1,
      maxLength: 30,
    }),
    a: numbers(5),
    b: numbers(5),
  });

/** The graph, and the ancestors of each unit found by going through all parents. */
function built({ runs, a, b }: Drawn) {
  const graph = new EventGraph();
  const below: Set<number>[] = [];
  const versionOf = (picked: readonly number[]): Version => {
    const lvs = [...new Set(picked.map((number) => number % below.length))];
    const heads = lvs.filter((lv) => !lvs.some((other) => other !== lv && (below[other]?.has(lv) ?? false)));
    return heads.toSorted((x, y) => x - y);
  };
  for (const { length, builtOn } of runs) {
    const start = below.length;
    const parents = start === 0 ? [] : versionOf(builtOn);
    graph.append(start, length, parents);
    for (let lv = start; lv < start + length; lv += 1) {
      const direct = lv === start ? parents : [lv - 1];
      below.push(new Set([lv, ...direct.flatMap((parent) => [...(below[parent] ?? [])])]));
    }
  }
  const historyOf = (version: Version) => new Set(version.flatMap((lv) => [...(below[lv] ?? [])]));
  return { graph, below, a: versionOf(a), b: versionOf(b), historyOf, versionOf };
}

function unitsOf(ranges: LvRanges): readonly number[] {
  const units: number[] = [];
  for (let at = 0; at < ranges.length; at += 2)
    for (let lv = ranges[at] ?? 0; lv < (ranges[at + 1] ?? 0); lv += 1) units.push(lv);
  return units.toSorted((x, y) => x - y);
}

const only = (of: ReadonlySet<number>, other: ReadonlySet<number>) =>
  [...of].filter((lv) => !other.has(lv)).toSorted((x, y) => x - y);

test.each([
  ["near each other", 4, 400],
  ["far apart", 700, 12],
])("two versions %s differ by what the history of one alone has", (_how, lengthMax, runs) => {
  fc.assert(
    fc.property(drawn(lengthMax), (given) => {
      const { graph, a, b, historyOf } = built(given);
      const { onlyA, onlyB } = graph.diff(a, b);
      expect(unitsOf(onlyA)).toEqual(only(historyOf(a), historyOf(b)));
      expect(unitsOf(onlyB)).toEqual(only(historyOf(b), historyOf(a)));
      // What one comparison leaves behind does not reach the next.
      expect(graph.diff(b, a)).toEqual({ onlyA: onlyB, onlyB: onlyA });
    }),
    { numRuns: scaled(runs) },
  );
});

test.each([
  ["near each other", 4, 400],
  ["far apart", 700, 12],
])("the version of units %s is those that are below no other", (_how, lengthMax, runs) => {
  fc.assert(
    fc.property(drawn(lengthMax), (given) => {
      const { graph, below, versionOf } = built(given);
      const lvs = [...new Set([...given.a, ...given.b].map((number) => number % below.length))];
      expect(graph.dominators(lvs.toSorted((x, y) => x - y))).toEqual(versionOf(lvs));
    }),
    { numRuns: scaled(runs) },
  );
});

test("a graph that is cut off, also within a run, goes on like one that never had the rest", () => {
  fc.assert(
    fc.property(drawn(12), fc.nat(), (given, cut) => {
      const { graph, below, versionOf } = built(given);
      const end = 1 + (cut % below.length);
      const heads = versionOf([...below.keys()].slice(0, end));
      graph.truncate(end, heads);
      const fresh = new EventGraph();
      let start = 0;
      for (const { length, builtOn } of given.runs) {
        const parents = start === 0 ? [] : versionOf(builtOn.map((number) => number % start));
        if (start < end) fresh.append(start, Math.min(length, end - start), parents);
        start += length;
      }
      for (const each of [graph, fresh]) {
        each.append(end, 2, heads);
        each.append(end + 2, 2, [end]);
      }
      const [a, b] = [[(given.a[0] ?? 0) % (end + 4)], [(given.b[0] ?? 0) % (end + 4)]];
      expect(graph.diff(a, b)).toEqual(fresh.diff(a, b));
      expect(graph.heads).toEqual(fresh.heads);
    }),
    { numRuns: scaled(300) },
  );
});

test("16.8 where fifty type at once, to compare two letters' versions takes a visit for each letter and parent between them", () => {
  const graph = new EventGraph();
  const writers = 50;
  const lag = 60;
  const heads: number[] = [];
  graph.append(0, 1, []);
  for (let lv = 1; lv < 3_000; lv += 1) {
    // Each letter builds on its writer's last one and on the newest of the others that had arrived.
    const seen = lv - lag;
    const newest = Array.from({ length: writers }, (_, writer) => heads[writer] ?? 0).map((own, writer) => {
      if (writer === lv % writers) return own;
      return own <= seen ? own : Math.max(0, own - 2 * writers);
    });
    const parents = graph.dominators([...new Set(newest)].toSorted((x, y) => x - y));
    graph.append(lv, 1, parents);
    heads[lv % writers] = lv;
  }
  graph.steps = 0;
  const { onlyA, onlyB } = graph.diff([2_998], [2_999]);
  expect(unitsOf(onlyA)).toContain(2_998);
  expect(unitsOf(onlyB)).toContain(2_999);
  // 3,000; a queue that looks for the place of each parent takes 27,000 to 325,000.
  expect(graph.steps).toBeLessThan(5_000);
});
