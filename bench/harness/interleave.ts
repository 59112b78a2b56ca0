/** Something to be timed: the same work as its neighbours'. Returns a value that the work depends on, so that none is skipped. */
export interface Subject {
  readonly name: string;
  readonly run: () => unknown;
}

export interface Timing {
  readonly name: string;
  /** CPU milliseconds of the median round. */
  readonly cpuMs: number;
  /** Of each round, in order; rounds are comparable across subjects. */
  readonly roundsMs: readonly number[];
}

/**
 * Runs every subject once a round, the order reversed each time, after one round that does not count. CPU time, so that a
 * busy machine disturbs less; compare subjects by `ratioOf`, which stays within rounds.
 */
export function interleave(rounds: number, subjects: readonly Subject[]): readonly Timing[] {
  const times = new Map<string, number[]>(subjects.map(({ name }) => [name, []]));
  for (let round = -1; round < rounds; round += 1) {
    const order = round % 2 === 0 ? subjects : subjects.toReversed();
    for (const { name, run } of order) {
      globalThis.gc?.();
      const before = process.cpuUsage();
      run();
      const spent = process.cpuUsage(before);
      if (round >= 0) times.get(name)?.push((spent.user + spent.system) / 1000);
    }
  }
  return subjects.map(({ name }) => {
    const roundsMs = times.get(name) ?? [];
    return { name, cpuMs: median(roundsMs), roundsMs };
  });
}

/** Median of the ratios of each round. */
export function ratioOf(subject: Timing, base: Timing): number {
  return median(subject.roundsMs.map((value, round) => value / (base.roundsMs[round] ?? Number.NaN)));
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
