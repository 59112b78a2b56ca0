import type { SearchQuery } from "../../core/block/search/search.ts";
import type { FoundTexts } from "../../core/port/searcher.ts";

/** A message to a search thread. Texts are kept under handles, which the sender assigns and frees. */
export interface SearchTask {
  readonly id: number;
  readonly query: SearchQuery;
  readonly drop: readonly number[];
  readonly keep: readonly { readonly handle: number; readonly text: string }[];
  /** In order: a handle, or a text to search once. */
  readonly texts: readonly (number | string)[];
  /** The search ends after this many matching texts, or this many units of their lines. */
  readonly textsMax: number;
  readonly unitsMax: number;
}

export interface SearchDone extends FoundTexts {
  readonly id: number;
  /** Processor time that the search took. */
  readonly computedMs: number;
}
