/**
 * How many cases a law is tried on: the count that `npm test` can afford, times HEDDLE_TORTURE where that is set
 * (`npm run torture` sets it).
 */
export function scaled(count: number): number {
  const factor = Number(process.env["HEDDLE_TORTURE"] ?? "1");
  return Math.max(1, Math.round(count * (Number.isFinite(factor) && factor > 0 ? factor : 1)));
}
