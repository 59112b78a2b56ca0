/** One measurement: the work, the subject, and the result against the goal of the specification. */
export interface BenchRow {
  readonly work: string;
  readonly subject: string;
  readonly value: number;
  readonly unit: string;
  /** Ratio to the subject of comparison, in the same rounds; null for that subject itself. */
  readonly ratio: number | null;
  /** For example `<= 3`; null if there is no goal. */
  readonly goal: string | null;
  readonly holds: boolean | null;
}

export interface BenchContext {
  readonly rounds: number;
  /** Whether to run a named part of a bench: all parts by default. */
  readonly isAsked: (work: string) => boolean;
  /** The folder of the recordings and traces. */
  readonly dataFolder: string;
  /** Loads a peer from bench/peers, which has its own lock file. */
  readonly peer: <Module>(name: string) => Promise<Module>;
  readonly log: (line: string) => void;
}

/** One question about speed or size: each file of this folder exports one as its default. */
export interface Bench {
  readonly name: string;
  readonly question: string;
  /** Rounds unless others are asked for: as many as keep each of its works within six minutes. 5 by default. */
  readonly rounds?: number;
  run(context: BenchContext): Promise<readonly BenchRow[]>;
}

/** Judges a figure against a goal of the form "at most". */
export function atMost(goal: number, figure: number): { readonly goal: string; readonly holds: boolean } {
  return { goal: `<= ${goal}`, holds: figure <= goal };
}

/** Judges a figure against a goal of the form "at least". */
export function atLeast(goal: number, figure: number): { readonly goal: string; readonly holds: boolean } {
  return { goal: `>= ${goal}`, holds: figure >= goal };
}

export const noGoal = { goal: null, holds: null } as const;
