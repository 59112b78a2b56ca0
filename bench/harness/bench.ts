/** One measured line: what was done (`work`), by whom (`subject`), and how it stands to the goal of the specification. */
export interface BenchRow {
  readonly work: string;
  readonly subject: string;
  readonly value: number;
  readonly unit: string;
  /** To the subject that the bench compares with, in the same rounds; null for that subject itself. */
  readonly ratio: number | null;
  /** Such as `<= 3`; null where none is set. */
  readonly goal: string | null;
  readonly holds: boolean | null;
}

export interface BenchContext {
  readonly rounds: number;
  /** Whether a part of a bench that has a name of its own is to be run: all are, unless some were named. */
  readonly isAsked: (work: string) => boolean;
  /** Where the recordings and traces are. */
  readonly dataFolder: string;
  /** Loads a peer from bench/peers, which has a lock file of its own. */
  readonly peer: <Module>(name: string) => Promise<Module>;
  readonly log: (line: string) => void;
}

/** One question about speed or size: a file of this folder exports one as its default. */
export interface Bench {
  readonly name: string;
  readonly question: string;
  run(context: BenchContext): Promise<readonly BenchRow[]>;
}

/** Judges a figure against a goal of the form "at most". */
export function atMost(goal: number, figure: number): { readonly goal: string; readonly holds: boolean } {
  return { goal: `<= ${goal}`, holds: figure <= goal };
}

export const noGoal = { goal: null, holds: null } as const;
