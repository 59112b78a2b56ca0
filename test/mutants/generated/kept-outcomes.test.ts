import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { KeptOutcomes, type TriedOn } from "./kept-outcomes.ts";
import type { Outcome } from "./trials.ts";

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "heddle-kept-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Differences {
  readonly draw?: number;
  readonly near?: string;
  readonly budgetMs?: number;
}

/** The same draw and two test files within a budget, but for these differences. */
const triedOn = ({ draw = 1, near = "near", budgetMs = 30_000 }: Differences = {}): TriedOn => ({
  budgetMs,
  sources: ["sources", draw],
  tests: new Map([
    ["near.test.ts", near],
    ["far.test.ts", "far"],
  ]),
});

const found = (by: string): Outcome => ({ type: "found", by, late: false });

test("a run that was cut finds the outcomes that it had", () => {
  const file = join(folder, "deep", "kept.jsonl");
  const before = new KeptOutcomes(file, triedOn());
  before.keep(3, found("near.test.ts > is found > by its words"));
  before.keep(7, { type: "survived" });
  appendFileSync(file, "[8,{");

  const after = new KeptOutcomes(file, triedOn());
  expect(after.of(3)).toEqual(found("near.test.ts > is found > by its words"));
  expect(after.of(7)).toEqual({ type: "survived" });
  expect(after.of(8)).toBeUndefined();
  after.keep(8, { type: "unreached" });
  expect(new KeptOutcomes(file, triedOn()).of(8)).toEqual({ type: "unreached" });
});

test("outcomes of other sources or another draw are dropped", () => {
  const file = join(folder, "kept.jsonl");
  new KeptOutcomes(file, triedOn()).keep(3, { type: "survived" });
  expect(new KeptOutcomes(file, triedOn({ draw: 2 })).of(3)).toBeUndefined();
  expect(new KeptOutcomes(file, triedOn()).of(3)).toBeUndefined();
});

test("a changed test drops what it found and what no test found", () => {
  const file = join(folder, "kept.jsonl");
  const before = new KeptOutcomes(file, triedOn());
  before.keep(1, found("near.test.ts > a failure"));
  before.keep(2, found("far.test.ts"));
  before.keep(3, { type: "survived" });
  before.keep(4, { type: "out-of-budget", left: ["far.test.ts"], spentMs: 30_000 });

  const after = new KeptOutcomes(file, triedOn({ near: "changed" }));
  expect([1, 2, 3, 4].map((mutant) => after.of(mutant))).toEqual([
    undefined,
    found("far.test.ts"),
    undefined,
    undefined,
  ]);
  after.keep(3, found("near.test.ts > a failure"));
  const again = new KeptOutcomes(file, triedOn({ near: "changed" }));
  expect([1, 2, 3, 4].filter((mutant) => again.of(mutant) !== undefined)).toEqual([2, 3]);
});

test("another budget drops only what the budget ended too early", () => {
  const file = join(folder, "kept.jsonl");
  const before = new KeptOutcomes(file, triedOn());
  before.keep(1, found("near.test.ts > a failure"));
  before.keep(2, { type: "survived" });
  before.keep(3, { type: "out-of-budget", left: ["far.test.ts"], spentMs: 30_000 });

  const after = new KeptOutcomes(file, triedOn({ budgetMs: 60_000 }));
  expect([1, 2, 3].filter((mutant) => after.of(mutant) !== undefined)).toEqual([1, 2]);
});

test("without a file nothing is kept beyond the run", () => {
  const kept = new KeptOutcomes(undefined, triedOn());
  kept.keep(1, { type: "survived" });
  expect(kept.of(1)).toEqual({ type: "survived" });
});
