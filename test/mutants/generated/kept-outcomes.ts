import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Outcome } from "./trials.ts";

/** What outcomes are true of: the sources with the draw, the tests by their paths, and how many milliseconds of them a defect got. */
export interface TriedOn {
  readonly sources: readonly unknown[];
  readonly tests: ReadonlyMap<string, string>;
  readonly budgetMs: number;
}

/**
 * Outcomes in a file, one line each, so that a run of hours that was cut goes on where it was. The first line says which sources
 * and which draw they are of; outcomes of others are dropped. A defect that was found stays found while the test file that found it
 * is the same; one that was not is tried again when any test has changed, or where the budget ended too early and is another now.
 */
export class KeptOutcomes {
  readonly #file: string | undefined;
  readonly #tests: ReadonlyMap<string, string>;
  readonly #allTests: string;
  readonly #budgetMs: number;
  readonly #byMutant = new Map<number, Outcome>();

  /** Reads the file, or begins it anew; without a file, nothing is kept. */
  constructor(file: string | undefined, { sources, tests, budgetMs }: TriedOn) {
    this.#file = file;
    this.#tests = tests;
    this.#allTests = digest([...tests]);
    this.#budgetMs = budgetMs;
    if (file === undefined) return;
    const first = digest(sources);
    const [before, ...lines] = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
    mkdirSync(dirname(file), { recursive: true });
    if (before !== first) {
      writeFileSync(file, `${first}\n`);
      return;
    }
    // What follows the last line break is of a write that was cut.
    const valid = lines.slice(0, -1).filter((line) => {
      const [mutant, outcome, triedOn] = JSON.parse(line) as [number, Outcome, string];
      const isValid = triedOn === this.#triedOn(outcome);
      if (isValid) this.#byMutant.set(mutant, outcome);
      return isValid;
    });
    writeFileSync(file, [first, ...valid, ""].join("\n"));
  }

  of(mutant: number): Outcome | undefined {
    return this.#byMutant.get(mutant);
  }

  keep(mutant: number, outcome: Outcome): void {
    this.#byMutant.set(mutant, outcome);
    if (this.#file === undefined) return;
    appendFileSync(this.#file, `${JSON.stringify([mutant, outcome, this.#triedOn(outcome)])}\n`);
  }

  /** The tests that the outcome depends on, as a hash. */
  #triedOn(outcome: Outcome): string {
    switch (outcome.type) {
      case "found":
        return digest([this.#tests.get(outcome.by.split(" > ")[0] ?? "")]);
      case "out-of-budget":
        return `${this.#allTests} in ${this.#budgetMs} ms`;
      case "survived":
      case "unreached":
        return this.#allTests;
    }
  }
}

function digest(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}
