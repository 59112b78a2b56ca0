import { expect, test } from "vitest";
import { judge, type Evidence, type HistoryRow } from "../cluster/history.ts";
import { runChaos } from "../cluster/chaos.ts";

const ttlMs = 1_500;

test("N-01 N-02 N-03 N-12 N-13 N-20 N-26 N-31 three processes on one PostgreSQL: killed, stopped, cut, delayed and restarted, nothing stale is written and nothing acknowledged is lost", async () => {
  const report = await runChaos({
    seed: Number(process.env["HEDDLE_SEED"] ?? 20_261),
    ttlMs,
    documents: 6,
    conversations: 3,
    people: 12,
    rounds: 1,
    typesEveryMs: 150,
    measured: 2,
  });
  expect(report.problems).toEqual([]);
  expect(report.owners).toBeGreaterThanOrEqual(4);
  expect(report.acknowledged).toBeGreaterThan(100);
  expect(report.questions).toBeGreaterThan(10);
  // The bound itself, the lease and half a second, is for a machine that does nothing else: torture holds it.
  expect(report.gapMs).toBeLessThan(5 * ttlMs);
}, 180_000);

const good: readonly HistoryRow[] = [
  { n: 1, kind: "owner", incarnation: 1, epoch: 1 },
  { n: 2, kind: "write", incarnation: 1, epoch: 1 },
  { n: 3, kind: "dead", incarnation: 1, epoch: null },
  { n: 4, kind: "owner", incarnation: 2, epoch: 2 },
  { n: 5, kind: "write", incarnation: 2, epoch: 2 },
];
const evidence: Evidence = {
  history: good,
  acknowledged: [{ canvasId: "c", word: "p1w0q", atMs: 0 }],
  typed: new Map([["c", ["p1w0q", "p1w1q"]]]),
  texts: new Map([["c", "p1w0q p1w1q"]]),
};

test.each<[string, Partial<Evidence>]>([
  ["a write of a dead node", { history: [...good, { n: 6, kind: "write", incarnation: 1, epoch: 2 }] }],
  ["a write of a node that owns nothing", { history: [...good, { n: 6, kind: "write", incarnation: 3, epoch: 2 }] }],
  ["an epoch that falls", { history: [...good, { n: 6, kind: "owner", incarnation: 3, epoch: 2 }] }],
  ["a dead owner", { history: [...good, { n: 6, kind: "owner", incarnation: 1, epoch: 3 }] }],
  ["a gap in what was noted", { history: good.filter(({ n }) => n !== 2) }],
  ["an acknowledged edit that is lost", { texts: new Map([["c", "p1w1q"]]) }],
  ["an edit that is there twice", { texts: new Map([["c", "p1w0q p1w1q p1w1q"]]) }],
  ["an acknowledged edit that is there twice", { texts: new Map([["c", "p1w0q p1w0q"]]) }],
  ["a word that nobody typed", { texts: new Map([["c", "p1w0q p9w9q"]]) }],
])("N-46 the checker finds %s", (_name, wrong) => {
  expect(judge(evidence)).toEqual([]);
  expect(judge({ ...evidence, ...wrong })).not.toEqual([]);
});
