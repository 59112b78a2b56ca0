/** The share of the window from which on a branch is summed up before its next request, where a conversation sets none. */
export const compactAtDefault = 0.8;

/** A summary that is larger than this share of what it replaces is thrown away. */
export const smallerThan = 0.6;

/** What a summary must replace at least: Heddle's own lines in it would save nothing of less. Tokens. */
export const replacedMin = 120;

/** After a compaction, this share of the window must be said before another one begins by itself. */
export const saidBetween = 0.2;

/** How many compactions of a branch may fail in a row before none begins by itself. */
export const failedCompactionsMax = 2;

/** The smallest reply that a request leaves room for, in tokens. */
export const replyTokensMin = 256;

/** The window that the sizes of a compaction are based on where a model's is unknown, in tokens. */
export const windowAssumed = 32_000;

/** The largest parts of a compaction node, in tokens. */
export interface PartSizes {
  /** The turns that are kept as they are. */
  readonly kept: number;
  /** What the model writes. */
  readonly summary: number;
  /** What people wrote, word for word. */
  readonly people: number;
  /** The outline of one document, and the list of all of them. */
  readonly outline: number;
  readonly documents: number;
  /** The question of the turn. */
  readonly question: number;
  /** One call or result that no model has read, and the question and all of those together. */
  readonly result: number;
  readonly quotes: number;
}

/** Returns the largest parts for a window: fixed numbers, or shares of a small window, but never too little to be of use. */
export function partSizes(window: number): PartSizes {
  const share = (tokens: number, part = 0.05): number => Math.max(200, Math.min(tokens, Math.floor(window * part)));
  return {
    kept: Math.min(20_000, Math.floor(window * 0.2)),
    summary: share(4_000),
    people: share(2_000),
    outline: share(200),
    documents: share(2_000),
    question: share(8_000),
    result: share(2_000),
    quotes: share(16_000, 0.25),
  };
}
