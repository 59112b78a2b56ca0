import type { Candidate } from "./candidates.ts";

/** A mutant that no test can find, because the program behaves the same with it. */
export interface EqualMutant {
  /** The name of its source file, without folders. */
  readonly file: string;
  /** The function around it; empty at the top of the file. */
  readonly within: string;
  readonly before: string;
  readonly after: string;
  /** Why the program behaves the same. */
  readonly reason: string;
}

export const equalMutants: readonly EqualMutant[] = [];

/** Whether the entry is about the candidate. */
export function isAbout(entry: EqualMutant, candidate: Candidate): boolean {
  return (
    candidate.file.endsWith(`/${entry.file}`) &&
    candidate.within === entry.within &&
    candidate.before === entry.before &&
    candidate.after === entry.after
  );
}
