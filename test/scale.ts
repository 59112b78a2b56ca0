/**
 * How many times as often the laws are tried: `HEDDLE_TORTURE`, a number above 0; default 1. `npm run torture` sets it.
 */
export const torture = readTorture(process.env["HEDDLE_TORTURE"]);

/**
 * The number of cases for a law: the count that `npm test` can afford, times `torture`; at least 1. `full` is the count of
 * torture where that is more than ten times as many.
 */
export function scaled(count: number, full = count * 10): number {
  return Math.max(1, Math.round(torture < 10 ? count * torture : (full * torture) / 10));
}

function readTorture(value: string | undefined): number {
  const times = value === undefined || value === "" ? 1 : Number(value);
  if (Number.isFinite(times) && times > 0) return times;
  throw new Error(`HEDDLE_TORTURE is a number above 0, not ${value}`);
}
