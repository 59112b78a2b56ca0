/**
 * One subject to measure: the same work as the others'. Returns a value that depends on the work, so that none is
 * optimised away.
 */
export interface Subject {
  readonly name: string;
  /** Prepares the data that a run uses up; not timed. */
  readonly prepare?: () => void;
  readonly run: () => unknown;
}

export interface Timing {
  readonly name: string;
  /** CPU milliseconds of the median round. */
  readonly cpuMs: number;
  /** Of each round, in order; rounds are comparable between subjects. */
  readonly roundsMs: readonly number[];
}

interface Pace {
  /** How long a subject runs before each measurement, in whole runs; longer work warms itself up. */
  readonly warmUpMs: number;
  /** How long a measurement lasts, in whole runs; their mean counts; at least one. */
  readonly sampleMs: number;
}

const onceEach: Pace = { warmUpMs: 0, sampleMs: 0 };

/**
 * Measures every subject once per round, in reversed order each time, after one round that does not count. Measures CPU
 * time, so that a busy machine disturbs less; compare subjects with `ratioOf`, which compares within rounds. Work of a
 * few milliseconds needs a pace: the collection before a measurement discards compiled code together with the last
 * objects of a kind, and a single run would be noise.
 */
export function interleave(rounds: number, subjects: readonly Subject[], pace = onceEach): readonly Timing[] {
  const times = new Map<string, number[]>(subjects.map(({ name }) => [name, []]));
  const lastMs = new Map<string, number>();
  for (let round = -1; round < rounds; round += 1) {
    const order = round % 2 === 0 ? subjects : subjects.toReversed();
    for (const subject of order) {
      globalThis.gc?.();
      for (let warmMs = lastMs.get(subject.name) ?? 0; warmMs < pace.warmUpMs;) warmMs += cpuMsOf(subject);
      let cpuMs = 0;
      let runs = 0;
      do {
        cpuMs += cpuMsOf(subject);
        runs += 1;
      } while (cpuMs < pace.sampleMs);
      lastMs.set(subject.name, cpuMs / runs);
      if (round >= 0) times.get(subject.name)?.push(cpuMs / runs);
    }
  }
  return subjects.map(({ name }) => {
    const roundsMs = times.get(name) ?? [];
    return { name, cpuMs: median(roundsMs), roundsMs };
  });
}

function cpuMsOf({ prepare, run }: Subject): number {
  prepare?.();
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The median of the rounds' ratios. */
export function ratioOf(subject: Timing, base: Timing): number {
  return median(subject.roundsMs.map((value, round) => value / (base.roundsMs[round] ?? Number.NaN)));
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
