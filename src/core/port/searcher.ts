import type { Refusal } from "../base/errors.ts";
import type { Result } from "../base/result.ts";
import type { Matches, SearchQuery, SearchResult } from "../block/search/search.ts";

/** Searches texts without ever holding up the server. REGEX_TIMEOUT: an expression takes longer than the deadline. */
export interface Searcher {
  search(text: string, query: SearchQuery): Promise<Result<SearchResult, Refusal>>;
  /** Searches many texts in order, and keeps them for the next time. */
  searchKept(texts: KeptTexts, query: SearchQuery, bounds: SearchBounds): Promise<Result<FoundTexts, Refusal>>;
  close(): Promise<void>;
}

/** Texts that are searched again and again: what is kept at a version is not loaded again. */
export interface KeptTexts {
  readonly of: readonly { readonly id: string; readonly version: number }[];
  /** The text at that version or a newer one, by its place in `of`; null: there is none any more. */
  load(index: number): Promise<{ readonly version: number; readonly text: string } | null>;
}

/** When a search through many texts ends early. */
export interface SearchBounds {
  /** For all texts together; loading them is not counted. */
  readonly deadlineMs: number;
  /** Ends when so many texts have matches. */
  readonly textsMax: number;
  /** Ends when what is shown of the lines found has so many UTF-16 units. */
  readonly unitsMax: number;
}

/** What a search through many texts found before its bounds. */
export interface FoundTexts {
  /** Whether it ended because it had found as much as may be shown. */
  readonly isFull: boolean;
  /** The texts with matches, by their place, in order. */
  readonly found: readonly { readonly index: number; readonly matches: Matches }[];
  /** Why the query was searched as literal text though meant as an expression. */
  readonly invalidRegex?: string;
}
