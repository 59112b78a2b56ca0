import type { ThreadId } from "../../base/ids.ts";
import type { NonEmptyArray } from "../../base/non-empty.ts";
import type { Thread } from "./thread.ts";

/** A thread as a file has it. */
export interface ImportedThread {
  /** Its id where it was exported; null where the file names none. */
  readonly id: ThreadId | null;
  readonly state: Thread["state"];
  /** Where it is in the text without its comments; null for the whole document. An empty range is a point. */
  readonly place:
    | { readonly type: "range"; readonly from: number; readonly to: number }
    | { readonly type: "orphan"; readonly at: number }
    | null;
  /** The words that it was made on, blanks as single spaces; null where the file does not say. */
  readonly quote: string | null;
  readonly comments: NonEmptyArray<ImportedComment>;
}

export interface ImportedComment {
  readonly name: string | null;
  /** UTC milliseconds; null where the file does not say. */
  readonly at: number | null;
  readonly text: string;
}

/** A text without its comments, and these. */
export interface ReadComments {
  readonly text: string;
  readonly threads: readonly ImportedThread[];
}
