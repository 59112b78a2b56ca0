import type { SearchQuery } from "../../core/block/search/search.ts";
import type { FoundTexts } from "../../core/port/searcher.ts";

/** What a search thread is sent. Texts are kept under handles, which the sender gives out and takes back. */
export interface SearchTask {
  readonly id: number;
  readonly query: SearchQuery;
  readonly drop: readonly number[];
  readonly keep: readonly { readonly handle: number; readonly text: string }[];
  /** In order: a handle, or a text that is searched this once. */
  readonly texts: readonly (number | string)[];
  /** Ends when so many texts have matches, or their lines so many units. */
  readonly textsMax: number;
  readonly unitsMax: number;
}

export interface SearchDone extends FoundTexts {
  readonly id: number;
}
