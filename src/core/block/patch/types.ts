/** Limits of a patch; a larger patch is refused without being parsed. */
export const patchHunksMax = 10_000;
export const patchLinesMax = 100_000;

/** One line of a hunk's body. */
export interface HunkLine {
  readonly type: "context" | "deleted" | "added";
  readonly text: string;
}

/** A hunk as written. */
export interface Hunk {
  /** The line of the patch, from 1, at which the hunk begins. */
  readonly patchLine: number;
  /** The line of the old text, from 1, that the header claims; undefined for a bare header. */
  readonly oldStart: number | undefined;
  /** The same for the new text. */
  readonly newStart: number | undefined;
  /** At least one line. */
  readonly lines: readonly HunkLine[];
  /** Number of old lines: context and deleted lines. */
  readonly oldCount: number;
  /** Whether the old and the new side end in a line without newline, as `\ No newline at end of file` says. */
  readonly oldUnterminated: boolean;
  readonly newUnterminated: boolean;
}

/** Why a patch cannot be parsed. `line` is a line of the patch, from 1. */
export interface PatchSyntaxError {
  readonly code: "NO_HUNKS" | "BAD_LINE" | "MULTI_FILE" | "TOO_LARGE" | "TRUNCATED";
  readonly line: number;
  readonly reason: string;
}

/** A mistake in the patch that was corrected, or text after it that was ignored. Hunks count from 1. */
export interface PatchWarning {
  readonly code: "HEADER_COUNT" | "TEXT_IGNORED";
  readonly hunk: number;
  readonly message: string;
}

/** A parsed patch, independent of any text. */
export interface ParsedPatch {
  readonly hunks: readonly Hunk[];
  readonly warnings: readonly PatchWarning[];
}

/** The verdict on one hunk. Hunks and lines count from 1. */
export type HunkVerdict = HunkPlaced | HunkRejected;

/** A hunk that fits at exactly one place. */
export interface HunkPlaced {
  readonly hunk: number;
  readonly ok: true;
  /** The first line of the original text that the hunk covers. */
  readonly line: number;
  /** The distance from the line that the header claims; 0 without a claim. */
  readonly offset: number;
}

/** A hunk that does not fit, and why; `message` tells a model what to do about it. */
export type HunkRejected = { readonly hunk: number; readonly ok: false; readonly message: string } & (
  | {
      readonly code: "NO_MATCH";
      /** The place where the hunk fits best, and its first line that differs there; null when no line is similar. */
      readonly line: number | null;
      readonly expected: string;
      readonly actual: string | null;
      /** The lines at that place, to copy into a new patch. */
      readonly actual_lines: readonly string[];
    }
  | { readonly code: "AMBIGUOUS"; readonly lines: readonly number[]; readonly actual_lines: readonly string[] }
  | { readonly code: "OVERLAP"; readonly other_hunk: number; readonly line: number }
  /** Its added lines are already at the text's beginning or end, from `line` on. */
  | { readonly code: "ALREADY_APPLIED"; readonly line: number }
  | { readonly code: "NO_CONTEXT" | "EMPTY_HUNK" }
);
