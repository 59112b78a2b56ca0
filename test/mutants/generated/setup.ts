import { writeFileSync } from "node:fs";
import { afterAll, afterEach, beforeEach, inject, vi } from "vitest";

// Before each test file of a run: switches one mutant on, and notes the mutants that the tests reach.

declare module "vitest" {
  interface ProvidedContext {
    /** The mutant that is on; 0 for none. */
    readonly mutant: number;
    /** How long the run may take. */
    readonly limitMs: number;
    /** Where to write the numbers of the mutants that were reached; empty to write none. */
    readonly reachedFile: string;
  }
}

const active = inject("mutant");
const limitMs = inject("limitMs");
const reachedFile = inject("reachedFile");
const endsAt = performance.now() + limitMs;
const reached = new Set<number>();
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
beforeEach(({ skip }) => skip(failed));
afterEach(({ task }) => {
  if (task.result?.state === "fail") failed = true;
});

if (reachedFile !== "") afterAll(() => writeFileSync(reachedFile, JSON.stringify([...reached])));
