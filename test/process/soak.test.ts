import { expect, test } from "vitest";
import { soakBounds } from "../soak/bounds.ts";
import { explain } from "../soak/growth.ts";
import { growing, slopesOf, wrongIn } from "../soak/judge.ts";
import { slopePerMinute, type Use } from "../soak/process-use.ts";
import { soak, type SoakReport } from "../soak/soak.ts";

const quiet: SoakReport = {
  seconds: 60,
  calm: [],
  beforeKills: [],
  descriptors: [{ before: 30, after: 30 }],
  edits: 0,
  visits: 0,
  turns: 0,
  conversations: 0,
  kills: 0,
  tokens: 0,
  acknowledged: 0,
  lost: [],
  failures: [],
  stuck: { runs: 0, leases: 0, effects: 0 },
  growth: { lines: [], unexplained: [] },
  databaseMb: 0,
  integrity: "ok",
};

test("19.15 a server with people who come and go, agents and two kills loses no word and leaves nothing behind", async () => {
  const report = await soak({
    calmSeconds: 5,
    kills: 2,
    killEvery: 5,
    people: 12,
    agents: 3,
    staySeconds: 6,
    sampleEvery: 1,
    seed: 19,
    log: () => {},
  });
  expect(wrongIn(report, soakBounds)).toEqual([]);
  expect(report.kills).toBe(2);
  expect(report.acknowledged).toBeGreaterThan(50);
  expect(report.turns).toBeGreaterThan(3);
  expect(report.tokens).toBeGreaterThan(0);
  expect(report.growth.lines.length).toBeGreaterThan(5);
}, 240_000);

test("19.15 a soak fails by a lost word, by what is stuck, by open descriptors and by rows without a cause", () => {
  expect(wrongIn(quiet, soakBounds)).toEqual([]);
  const wrong: Partial<SoakReport>[] = [
    { lost: ["p1w1q"] },
    { failures: ["visitor 1: timeout"] },
    { stuck: { runs: 1, leases: 0, effects: 0 } },
    { stuck: { runs: 0, leases: 1, effects: 0 } },
    { descriptors: [{ before: 30, after: 39 }] },
    { integrity: "row 1 missing" },
  ];
  for (const each of wrong) expect(wrongIn({ ...quiet, ...each }, soakBounds)).toHaveLength(1);
  const happened = { edits: 10, visits: 2, turns: 0, conversations: 1 };
  const before = new Map([["changes", { rows: 5, bytes: 4096 }]]);
  const explained = new Map([["changes", { rows: 15, bytes: 8192 }]]);
  expect(explain(before, explained, happened)).toMatchObject({ lines: [expect.any(String)], unexplained: [] });
  const surplus = new Map([
    ["changes", { rows: 16, bytes: 8192 }],
    ["visitors", { rows: 1, bytes: 4096 }],
  ]);
  expect(explain(before, surplus, happened).unexplained).toHaveLength(2);
});

test("19.15 a leak of 1.2 MB a minute is found under garbage of 40 MB, and garbage alone is none", () => {
  const use = (at: number, leakPerMinute: number): Use => ({
    at,
    rssMb: 200 + (at / 60) * leakPerMinute + (at % 50),
    heapMb: 80 + (at % 50),
    descriptors: 200 + (at % 7),
    tokens: 0,
  });
  const calmOf = (leak: number): Use[] => Array.from({ length: 90 }, (_, index) => use(index * 10, leak));
  const lives = [1, 2, 3].map((life) => use(life * 900, 0));
  const leaks = slopesOf({ ...quiet, calm: calmOf(1.2), beforeKills: lives }, soakBounds);
  expect(leaks.rss).toBeCloseTo(1.2, 1);
  expect(growing(leaks, soakBounds)).toEqual([expect.stringContaining("memory grows by 1.2")]);
  const sound = slopesOf({ ...quiet, calm: calmOf(0), beforeKills: lives }, soakBounds);
  expect(growing(sound, soakBounds)).toEqual([]);
  // Nothing measured is nothing shown.
  expect(slopePerMinute([])).toBeNaN();
  expect(growing(slopesOf(quiet, soakBounds), soakBounds)).toHaveLength(4);
});
