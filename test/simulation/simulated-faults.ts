import type { LanguageModel } from "../../src/core/port/language-model.ts";
import type { Clock } from "../../src/core/port/platform.ts";
import type { StreamPart } from "../../src/core/model/stream-part.ts";
import type { SeededRandom } from "../../src/testing/seeded-random.ts";

/** How often each fault comes; each seed draws its own rates, so that some have one fault alone and some have all at once. */
export interface FaultRates {
  /** In a thousand steps: the disk is full for a while. */
  readonly full: number;
  /** In a thousand steps: a commit is made, and the server dies before it hears so. */
  readonly unheard: number;
  /** In a thousand steps: the wall clock jumps, by up to ten years in either direction. */
  readonly jump: number;
  /** In a hundred requests to the model: its stream breaks, at its beginning or later. */
  readonly broken: number;
}

export function drawRates({ oneIn, below }: SeededRandom): FaultRates {
  const rate = (most: number): number => (oneIn(2) ? 0 : 1 + below(most));
  return { full: rate(60), unheard: rate(40), jump: rate(60), broken: rate(40) };
}

const tenYearsMs = 10 * 365 * 24 * 60 * 60 * 1000;

/** A clock whose wall time can jump; its monotonic time and its timers do not. */
export function jumpingClock<Kept extends Clock>(
  clock: Kept,
): { readonly clock: Kept; jump(random: SeededRandom): void } {
  let offset = 0;
  return {
    clock: { ...clock, now: () => clock.now() + offset },
    jump({ below, oneIn }) {
      const by = oneIn(2) ? below(tenYearsMs) : below(60_000);
      offset = oneIn(2) ? by : -by;
    },
  };
}

/** A model whose streams break now and then, as an overloaded provider's do. */
export function breakingModel(
  model: LanguageModel,
  random: SeededRandom,
  { percent, onBroken }: { readonly percent: number; readonly onBroken: () => void },
): LanguageModel {
  return {
    ...model,
    async *stream(...asked): AsyncGenerator<StreamPart> {
      const partsMax = random.below(100) < percent ? random.below(60) : Number.POSITIVE_INFINITY;
      let parts = 0;
      for await (const part of model.stream(...asked)) {
        if (parts >= partsMax) {
          onBroken();
          yield { type: "failed", failure: { class: "overloaded", message: "Overloaded.", retryable: true } };
          return;
        }
        parts += 1;
        yield part;
      }
    },
  };
}
