import type { SoakBounds } from "./bounds.ts";
import { slopePerMinute, type Use } from "./process-use.ts";
import type { SoakReport } from "./soak.ts";

/** Memory and descriptors a minute. */
export interface Slopes {
  /** Of one process, after the warm-up. */
  readonly rss: number;
  readonly heap: number;
  readonly descriptors: number;
  /** From process to process, each right before its kill: what grows with the database alone. */
  readonly rssOfLives: number;
}

export function slopesOf({ calm, beforeKills }: SoakReport, { warmUpSeconds }: SoakBounds): Slopes {
  const of = (uses: readonly Use[], measure: "rssMb" | "heapMb" | "descriptors"): number =>
    slopePerMinute(uses.map((use) => ({ at: use.at, value: use[measure] })));
  const warm = calm.filter(({ at }) => at >= warmUpSeconds);
  return {
    rss: of(warm, "rssMb"),
    heap: of(warm, "heapMb"),
    descriptors: of(warm, "descriptors"),
    rssOfLives: of(beforeKills, "rssMb"),
  };
}

/** Returns what of a soak is wrong, without its slopes. */
export function wrongIn(report: SoakReport, bounds: SoakBounds): readonly string[] {
  const { runs, leases, effects } = report.stuck;
  return [
    ...(report.lost.length > 0
      ? [`${report.lost.length} acknowledged words are not stored exactly once: ${report.lost.slice(0, 5).join(", ")}`]
      : []),
    ...report.failures.slice(0, 20),
    ...(runs + leases + effects > 0 ? [`stuck: ${runs} runs, ${leases} leases, ${effects} effects`] : []),
    ...report.growth.unexplained,
    ...report.descriptors
      .filter(({ before, after }) => after - before > bounds.descriptors)
      .map(({ before, after }) => `descriptors ${before} before anybody came, ${after} after everybody left`),
    ...(report.integrity === "ok" ? [] : [`the database: ${report.integrity}`]),
  ];
}

/** Returns what grows faster than it may. A slope that cannot be told is wrong too. */
export function growing(slopes: Slopes, { slopeMbPerMinute }: SoakBounds): readonly string[] {
  return [
    ...(slopes.rss <= slopeMbPerMinute ? [] : [`memory grows by ${slopes.rss.toFixed(2)} MB a minute`]),
    ...(slopes.heap <= slopeMbPerMinute ? [] : [`the heap grows by ${slopes.heap.toFixed(2)} MB a minute`]),
    ...(slopes.descriptors <= 1 ? [] : [`descriptors grow by ${slopes.descriptors.toFixed(2)} a minute`]),
    ...(slopes.rssOfLives <= slopeMbPerMinute
      ? []
      : [`memory before a kill grows by ${slopes.rssOfLives.toFixed(2)} MB a minute`]),
  ];
}
