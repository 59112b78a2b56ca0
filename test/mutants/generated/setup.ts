import { writeFileSync } from "node:fs";
import { afterAll, afterEach, beforeEach, inject, vi } from "vitest";
import type { Reach, TestReach } from "./reach.ts";

// Before each test file of a run: switches one mutant on, and notes the mutants that each test reaches.

declare module "vitest" {
  interface ProvidedContext {
    /** The mutant that is on; 0 for none. */
    readonly mutant: number;
    /** How long the run may take. */
    readonly limitMs: number;
    /** Where to write which mutants were reached (a `Reach`); empty to write nothing. */
    readonly reachedFile: string;
  }
}

const active = inject("mutant");
const limitMs = inject("limitMs");
const reachedFile = inject("reachedFile");
const endsAt = performance.now() + limitMs;
/** What is reached by no test of its own: while modules are loaded, in a hook for several tests, between tests. */
const byAll = new Set<number>();
const byTest: [id: string, reach: TestReach][] = [];
let reached = byAll;
let startedAt = 0;
let calls = 0;

vi.setConfig({ testTimeout: limitMs, hookTimeout: limitMs });

/** Whether the mutant is on. Ends a loop that runs into the time limit. */
function heddleMutant(id: number): boolean {
  if (reachedFile !== "") reached.add(id);
  calls += 1;
  if ((calls & 0xffff) === 0 && performance.now() > endsAt) throw new Error("The time of this mutant is over.");
  return id === active;
}

Object.assign(globalThis, { heddleMutant });

// One failing test is enough. Vitest's own `bail` can cancel the next run instead, when its message comes late.
let failed = false;
beforeEach(({ skip, task }) => {
  skip(failed);
  // Tests that run at the same time cannot be told apart.
  reached = task.concurrent === true ? byAll : new Set();
  startedAt = performance.now();
});
afterEach(({ task }) => {
  if (task.result?.state === "fail") failed = true;
  const mutants = reached === byAll ? [] : [...reached];
  byTest.push([task.id, { ms: performance.now() - startedAt, mutants }]);
  reached = byAll;
});

if (reachedFile !== "") {
  afterAll(() => {
    const reach: Reach = { byAll: [...byAll], byTest };
    writeFileSync(reachedFile, JSON.stringify(reach));
  });
}
