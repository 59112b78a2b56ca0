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

export const equalMutants: readonly EqualMutant[] = [
  {
    file: "structure.ts",
    within: "#continuesLeaf",
    before: "cursor.indent >= 4",
    after: "cursor.indent > 4",
    reason:
      "A line that does not continue indented code begins it again, and indented code is no part of the structure.",
  },
  {
    file: "text-lines.ts",
    within: "isLine",
    before: "index + 1",
    after: "index + 0",
    reason: "Every line is compared in the slow way, which gives the same answer.",
  },
  {
    file: "block-starts.ts",
    within: "withoutClosingMarks",
    before: "end > 0",
    after: "end >= 0",
    reason: "Before the first character there is none, so that the loop ends there anyway.",
  },
  {
    file: "content-edit.ts",
    within: "commonBeginning",
    before: "at < other.length",
    after: "at <= other.length",
    reason: "Behind its end a text has no character, and no number equals that.",
  },
  {
    file: "document.ts",
    within: "delta",
    before:
      "if (only !== undefined) return [{ from: only.at, to: only.at + only.removed.length, insert: only.inserted }];",
    after: "",
    reason: "A shortcut for one edit; the builder gives the same change.",
  },
  {
    file: "feed.ts",
    within: "byBlock",
    before: "if (changes.every(({ blockId }) => blockId === first?.blockId)) return [changes];",
    after: "",
    reason: "A shortcut for the changes of one block, which make one group too.",
  },
  {
    file: "json-reader.ts",
    within: "#insideLongQuotes",
    before: "at > from",
    after: "at >= from",
    reason: "It only adds an empty text to the value.",
  },
  {
    file: "apply.ts",
    within: "rejectOverlaps",
    before: "if (areApart(verdicts, hunks)) return verdicts;",
    after: "",
    reason: "A shortcut for the usual patch; the search for overlaps finds none either.",
  },
];

/** Whether the entry is about the candidate. */
export function isAbout(entry: EqualMutant, candidate: Candidate): boolean {
  return (
    candidate.file.endsWith(`/${entry.file}`) &&
    candidate.within === entry.within &&
    candidate.before === entry.before &&
    candidate.after === entry.after
  );
}
