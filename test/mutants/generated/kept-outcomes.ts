import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Outcome } from "./trials.ts";

/**
 * Outcomes in a file, one line each, so that a run of hours that was cut goes on where it was. The first line says what they are
 * of: outcomes of other sources, tests or draws are dropped.
 */
export class KeptOutcomes {
  readonly #file: string | undefined;
  readonly #byMutant = new Map<number, Outcome>();

  /** Reads the file, or begins it anew; without a file, nothing is kept. */
  constructor(file: string | undefined, of: readonly unknown[]) {
    this.#file = file;
    if (file === undefined) return;
    const first = createHash("sha256").update(JSON.stringify(of)).digest("hex");
    const [kept, ...lines] = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
    if (kept !== first) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `${first}\n`);
      return;
    }
    // What follows the last line break is of a write that was cut.
    for (const line of lines.slice(0, -1)) {
      const [mutant, outcome] = JSON.parse(line) as [number, Outcome];
      this.#byMutant.set(mutant, outcome);
    }
    writeFileSync(file, [first, ...lines.slice(0, -1), ""].join("\n"));
  }

  of(mutant: number): Outcome | undefined {
    return this.#byMutant.get(mutant);
  }

  keep(mutant: number, outcome: Outcome): void {
    this.#byMutant.set(mutant, outcome);
    if (this.#file !== undefined) appendFileSync(this.#file, `${JSON.stringify([mutant, outcome])}\n`);
  }
}
