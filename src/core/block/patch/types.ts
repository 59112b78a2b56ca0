/** Bounds of a patch; beyond them it is refused unread. */
export const patchHunksMax = 10_000;
export const patchLinesMax = 100_000;

/** One line of a hunk's body. */
export interface HunkLine {
  readonly type: "context" | "deleted" | "added";
  readonly text: string;
}

/** One hunk as written. */
export interface Hunk {
  /** The line of the patch, from 1, where the hunk begins. */
  readonly patchLine: number;
  /** The line of the old text, from 1, that the header claims; undefined for a bare header. */
  readonly oldStart: number | undefined;
  /** At least one line. */
  readonly lines: readonly HunkLine[];
  /** How many of them the old text has: context and deleted ones. */
  readonly oldCount: number;
  /** The old and the new side end in a line without newline, as `\ No newline at end of file` says. */
  readonly oldUnterminated: boolean;
  readonly newUnterminated: boolean;
}

/** Why a patch cannot be read. `line` is the patch's own, from 1. */
export interface PatchSyntaxError {
  readonly code: "NO_HUNKS" | "BAD_LINE" | "MULTI_FILE" | "TOO_LARGE";
  readonly line: number;
  readonly reason: string;
}

/** What was put right without asking. Hunks count from 1. */
export interface PatchWarning {
  readonly code: "HEADER_COUNT";
  readonly hunk: number;
  readonly message: string;
}

/** A patch as it was read, before any text is looked at. */
export interface ParsedPatch {
  readonly hunks: readonly Hunk[];
  readonly warnings: readonly PatchWarning[];
}

/** What became of one hunk. Hunks and lines count from 1. */
export type HunkVerdict = HunkPlaced | HunkRejected;

/** A hunk that fits at one place. */
export interface HunkPlaced {
  readonly hunk: number;
  readonly ok: true;
  /** The first line of the text before that the hunk covers. */
  readonly line: number;
  /** How far that is from the line the header claims; 0 without a claim. */
  readonly offset: number;
}

/** A hunk that does not fit, and why; `message` says to a model what to do about it. */
export type HunkRejected = { readonly hunk: number; readonly ok: false; readonly message: string } & (
  | {
      readonly code: "NO_MATCH";
      /** Where the hunk fits best, and its line that differs first there; null when nothing is like it. */
      readonly line: number | null;
      readonly expected: string;
      readonly actual: string | null;
      /** The lines that stand there, to be copied into a new patch. */
      readonly actual_lines: readonly string[];
    }
  | { readonly code: "AMBIGUOUS"; readonly lines: readonly number[]; readonly actual_lines: readonly string[] }
  | { readonly code: "OVERLAP"; readonly other_hunk: number; readonly line: number }
  | { readonly code: "NO_CONTEXT" | "EMPTY_HUNK" }
);
