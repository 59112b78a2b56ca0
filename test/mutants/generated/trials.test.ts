import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Reach } from "./reach.ts";
import type { TestWorker } from "./test-worker.ts";
import { Trials } from "./trials.ts";
import type { RunReport, RunRequest } from "./warm-vitest.ts";

let folder: string;
let runs: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-trials-"));
  runs = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface FakeFile extends Partial<Reach> {
  /** Whether a run finds the mutant; without one for every run without a mutant. */
  readonly fails?: (request: RunRequest) => boolean;
  readonly id?: string;
}

/** A worker that makes no runs: it notes them, and answers as a file of this name says. */
function worker(files: Readonly<Record<string, FakeFile>>): TestWorker {
  const run = async (request: RunRequest): Promise<RunReport | "timeout"> => {
    const { mutant, test: file, ids, reachedFile } = request;
    runs.push(`${mutant} ${file} ${ids?.join("+") ?? "all"}`);
    const { byAll = [], byTest = [], fails, id = byTest[0]?.[0] } = files[file] ?? {};
    if (reachedFile !== "") writeFileSync(reachedFile, JSON.stringify({ byAll, byTest }));
    return fails?.(request) === true
      ? { passed: false, failure: "a test", ...(id !== undefined && { id }) }
      : { passed: true, failure: "" };
  };
  return { run } as unknown as TestWorker;
}
const reaches = (id: string, ...mutants: readonly number[]) => [id, { ms: 1_000, mutants }] as const;
const trials = (budgetMs = 60_000): Trials => new Trials({ folder, budgetMs });
const found = ({ mutant }: RunRequest): boolean => mutant !== 0;

describe("a mutant", () => {
  test("is tried on the tests that reach it, file by file, until one finds it", async () => {
    const files = {
      a: { byTest: [reaches("a1", 2), reaches("a2", 1)] },
      b: { byTest: [reaches("b1", 2)] },
      c: { byTest: [reaches("c1", 1)], fails: found },
      d: {},
    };
    expect(await trials().try(1, ["a", "b", "c", "d"], worker(files))).toMatchObject({
      type: "found",
      by: "c > a test",
      late: false,
    });
    expect(runs).toEqual(["0 a all", "1 a a2", "0 b all", "0 c all", "1 c c1", "0 c c1"]);
  });

  test("is tried on all tests of a file that reaches it outside of any", async () => {
    const files = { a: { byAll: [1], byTest: [reaches("a1", 1)] } };
    expect(await trials().try(1, ["a"], worker(files))).toEqual({ type: "survived" });
    expect(runs).toEqual(["0 a all", "1 a all"]);
  });

  test("is unreached where no test reaches it", async () => {
    expect(await trials().try(1, ["a"], worker({ a: { byTest: [reaches("a1", 2)] } }))).toEqual({ type: "unreached" });
  });

  test("is not found by a test that fails without the tests before it: the whole file decides", async () => {
    const needsFirst: FakeFile = {
      byTest: [reaches("a1", 2), reaches("a2", 1)],
      id: "a2",
      fails: ({ ids }) => ids !== undefined,
    };
    const all = trials();
    expect(await all.try(1, ["a"], worker({ a: needsFirst }))).toEqual({ type: "survived" });
    expect(await all.try(1, ["a"], worker({ a: needsFirst }))).toEqual({ type: "survived" });
    expect(runs).toEqual(["0 a all", "1 a a2", "0 a a2", "1 a all", "1 a all"]);
  });

  test("that survived as far as the budget goes is told apart, with the files that are left", async () => {
    const files = { a: { byTest: [reaches("a1", 1), reaches("a2", 1)] }, b: { byTest: [reaches("b1", 1)] } };
    expect(await trials(1_500).try(1, ["a", "b"], worker(files))).toMatchObject({
      type: "out-of-budget",
      left: ["a", "b"],
    });
    // The shortest test is tried in any case, and no file is measured any more.
    expect(runs).toEqual(["0 a all", "1 a a1"]);
  });
});

test("a test file that fails without a mutant is named, and finds nothing", async () => {
  const all = trials();
  expect(await all.try(1, ["a"], worker({ a: { byTest: [reaches("a1", 1)], fails: () => true } }))).toEqual({
    type: "unreached",
  });
  expect([...all.failing]).toEqual([["a", "a test"]]);
});
