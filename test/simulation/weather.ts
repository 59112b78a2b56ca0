import type { Retention } from "../../src/host/document/record/limits.ts";
import { seededRandom, type SeededRandom } from "../../src/testing/seeded-random.ts";
import { drawRates, type FaultRates } from "./simulated-faults.ts";

/** How faulty a run is; each seed draws its own, so that some have only cuts and some only crashes. */
export interface Weather {
  readonly cut: number;
  readonly crash: number;
  readonly undo: number;
  readonly remove: number;
  /** Whether the agent only adds text: then every word a person typed and did not delete must be there at the end. */
  readonly gentle: boolean;
  /** In a hundred steps: one about tools, approvals and files. */
  readonly office: number;
  /** How little of the blocks' history is kept; undefined: the default. */
  readonly retention: Retention | undefined;
  readonly faults: FaultRates;
}

export function drawWeather(seed: number, { oneIn, below }: SeededRandom, faults: SeededRandom): Weather {
  const memory = seededRandom(seed ^ 0xf0e7);
  const outside = seededRandom(seed ^ 0xf01d);
  return {
    office: outside.oneIn(3) ? 0 : 10 + outside.below(40),
    faults: drawRates(faults),
    cut: oneIn(3) ? 0 : 2 + below(12),
    crash: oneIn(3) ? 0 : 1 + below(4),
    undo: oneIn(2) ? 0 : 2 + below(6),
    remove: oneIn(2) ? 0 : 10,
    gentle: oneIn(2),
    retention: memory.oneIn(2)
      ? undefined
      : {
          changesMin: memory.below(12),
          ageMs: memory.below(2_000),
          changesMax: 1000,
          bytesMax: 200 + memory.below(20_000),
          stepChanges: 1 + memory.below(8),
        },
  };
}
