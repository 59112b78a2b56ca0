import type { Refusal } from "../base/errors.ts";
import type { BlockId } from "../base/ids.ts";
import type { Result } from "../base/result.ts";
import type { Matches, SearchQuery, SearchResult } from "../block/search/search.ts";
import type { TextModule } from "./thread-texts.ts";

/**
 * Searches texts without blocking the server. Refuses with REGEX_TIMEOUT when an expression takes longer than the deadline.
 */
export interface Searcher {
  search(text: string, query: SearchQuery): Promise<Result<SearchResult, Refusal>>;
  /** Searches many texts in order, and keeps them for the next search. */
  searchKept(texts: KeptTexts, query: SearchQuery, bounds: SearchBounds): Promise<Result<FoundTexts, Refusal>>;
  close(): Promise<void>;
}

/** Texts that are searched repeatedly: a text kept at its current version is not loaded again. */
export interface KeptTexts {
  readonly of: readonly { readonly id: string; readonly version: number }[];
  /** Absent: every text is loaded. */
  readonly stored?: StoredTexts | undefined;
  /** Loads the text at that version or a newer one, by its index in `of`; null when it no longer exists. */
  load(index: number): Promise<{ readonly version: number; readonly text: string } | null>;
}

/** Texts that a search's thread reads by itself; one that it does not find at its version is loaded. */
export interface StoredTexts {
  readonly module: TextModule;
  /** A text of this length or more may be a beginning only, and is loaded. UTF-16 units. */
  readonly unitsBelow: number;
  /** The block whose text is at an index of `of`; null for a text that must be loaded. */
  blockAt(index: number): BlockId | null;
}

/** The bounds at which a search through many texts ends early. */
export interface SearchBounds {
  /** Milliseconds of computing for all texts together; loading them and waiting for a processor do not count. */
  readonly deadlineMs: number;
  /** Number of texts with matches after which the search ends. */
  readonly textsMax: number;
  /** UTF-16 units of shown lines after which the search ends. */
  readonly unitsMax: number;
}

/** The matches that a search through many texts found within its bounds. */
export interface FoundTexts {
  /** Whether the search ended because it reached the limit of what is shown. */
  readonly isFull: boolean;
  /** The texts with matches, by their index, in order. */
  readonly found: readonly { readonly index: number; readonly matches: Matches }[];
  /** Why the query was searched as literal text although it was meant as a regular expression. */
  readonly invalidRegex?: string;
}
