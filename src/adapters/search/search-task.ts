import type { SearchQuery } from "../../core/block/search/search.ts";
import type { FoundTexts } from "../../core/port/searcher.ts";
import type { TextAt, TextModule } from "../../core/port/thread-texts.ts";

/** A message to a search thread. Texts are kept under handles, which the sender assigns and frees. */
export interface SearchTask {
  readonly id: number;
  readonly query: SearchQuery;
  readonly drop: readonly number[];
  readonly keep: readonly { readonly handle: number; readonly text: string }[];
  /** In order: a handle, a text to search once, or a text that the thread reads by itself. */
  readonly texts: readonly (number | string | StoredText)[];
  /** How the thread reads texts; null when it reads none. */
  readonly stored: { readonly module: TextModule; readonly unitsBelow: number } | null;
  /** The search ends after this many matching texts, or this many units of their lines. */
  readonly textsMax: number;
  readonly unitsMax: number;
}

/** A thread's first message. */
export interface SearchReady {
  /** Processor time that its start took. */
  readonly usedMs: number;
}

export interface StoredText extends TextAt {
  /** The handle under which to keep it; null to forget it after the search. */
  readonly handle: number | null;
}

export interface SearchDone extends FoundTexts {
  readonly id: number;
  /** How many of the texts were searched: fewer when the next one cannot be read, or enough were read. */
  readonly searched: number;
  /** Whether the next text cannot be read. */
  readonly isMissing: boolean;
  /** The texts that were read to be kept, with their length. */
  readonly kept: readonly { readonly handle: number; readonly units: number }[];
  /** Processor time that the search took, without the reading of texts. */
  readonly computedMs: number;
  /** All processor time that the thread has used until now. */
  readonly usedMs: number;
}
