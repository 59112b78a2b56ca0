import type { Json, JsonObject } from "../../core/base/json.ts";

/** The known deviation of a model's counts from the estimates. */
export interface Calibration {
  /** Mean logarithm of counted over estimated tokens, weighted towards the latest. */
  readonly mean: number;
  /** Its variance. */
  readonly variance: number;
  /** The number of counts behind it. */
  readonly counts: number;
}

/** The calibration before the first count: `factor` on the estimate, and how far it may be wrong, such as 0.25. */
export function assumed(factor: number, margin: number): Calibration {
  // One request in twenty exceeds the margin.
  return { mean: Math.log(factor), variance: (Math.log1p(margin) / oneInTwenty) ** 2, counts: 0 };
}

/** Standard deviations that 95 of 100 counts stay below. */
const oneInTwenty = 1.645;
/** The weight of the newest count, once there are enough. */
const latestWeight = 0.2;
/** A count that is further off has another cause (a cache, another tokenizer's mistake). */
const farthest = Math.log(8);
/** The lower bound of the variance. */
const varianceMin = 0.01 ** 2;

/** Returns the calibration after one more count. */
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

/** Writes calibrations as JSON, in their order. */
export function writeCalibrations(byModel: ReadonlyMap<string, Calibration>): JsonObject {
  return { models: Array.from(byModel, ([id, { mean, variance, counts }]) => [id, mean, variance, counts]) };
}

/** Reads stored calibrations. Omits invalid ones, which the next count replaces. */
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
    // An impossible factor, or one without counts behind it, would mislead until many counts came.
    Math.abs(mean) <= farthest * 2 &&
    variance >= varianceMin &&
    variance <= farthest ** 2 &&
    Number.isSafeInteger(counts) &&
    counts > 0;
  return isOne ? [[id, { mean, variance, counts }]] : [];
}
