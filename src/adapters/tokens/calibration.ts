import type { Json, JsonObject } from "../../core/base/json.ts";

/** How far a model's counts are from the estimates, as far as is known. */
export interface Calibration {
  /** Logarithm of what was counted over what was estimated, weighted towards the latest. */
  readonly mean: number;
  /** Its variance. */
  readonly variance: number;
  /** How many counts stand behind it. */
  readonly counts: number;
}

/** What is assumed before the first count: `factor` on the estimate, and how far it may be wrong, such as 0.25. */
export function assumed(factor: number, margin: number): Calibration {
  // The margin is what one request in twenty goes beyond.
  return { mean: Math.log(factor), variance: (Math.log1p(margin) / oneInTwenty) ** 2, counts: 0 };
}

/** Standard deviations that 95 of 100 stay under. */
const oneInTwenty = 1.645;
/** The weight of the newest count, once there are enough. */
const latestWeight = 0.2;
/** A count that is further off than this is about something else (a cache, another tokenizer's mistake). */
const farthest = Math.log(8);
/** Nothing is known better than this. */
const varianceMin = 0.01 ** 2;

/** The calibration after one more count. */
export function learned(before: Calibration, estimatedTokens: number, countedTokens: number): Calibration {
  if (!(estimatedTokens > 0) || !(countedTokens > 0)) return before;
  const seen = Math.log(countedTokens / estimatedTokens);
  if (Math.abs(seen) > farthest) return before;
  const counts = before.counts + 1;
  const weight = Math.max(latestWeight, 1 / (counts + 1));
  const apart = seen - before.mean;
  return {
    mean: before.mean + weight * apart,
    variance: Math.max(varianceMin, (1 - weight) * (before.variance + weight * apart * apart)),
    counts,
  };
}

/** The best guess and the upper bound for an estimate, whole numbers. */
export function calibrated(
  { mean, variance }: Calibration,
  estimatedTokens: number,
): { readonly expected: number; readonly upper: number } {
  const expected = Math.ceil(estimatedTokens * Math.exp(mean));
  return {
    expected,
    upper: Math.max(expected, Math.ceil(estimatedTokens * Math.exp(mean + oneInTwenty * Math.sqrt(variance)))),
  };
}

/** The calibrations as JSON that is kept, in their order. */
export function writeCalibrations(byModel: ReadonlyMap<string, Calibration>): JsonObject {
  return { models: Array.from(byModel, ([id, { mean, variance, counts }]) => [id, mean, variance, counts]) };
}

/** The calibrations that were kept. What cannot be one is left out: the next count makes it anew. */
export function readCalibrations(kept: JsonObject | null): ReadonlyMap<string, Calibration> {
  const models = kept?.["models"];
  return new Map(Array.isArray(models) ? models.flatMap(readCalibration) : []);
}

function readCalibration(entry: Json): readonly (readonly [string, Calibration])[] {
  if (!Array.isArray(entry)) return [];
  const [id, mean, variance, counts]: readonly Json[] = entry;
  const isOne =
    typeof id === "string" &&
    typeof mean === "number" &&
    typeof variance === "number" &&
    typeof counts === "number" &&
    // A factor that a count cannot have, or one that nothing stands behind, would mislead until many counts came.
    Math.abs(mean) <= farthest * 2 &&
    variance >= varianceMin &&
    variance <= farthest ** 2 &&
    Number.isSafeInteger(counts) &&
    counts > 0;
  return isOne ? [[id, { mean, variance, counts }]] : [];
}
