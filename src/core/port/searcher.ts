import type { Refusal } from "../base/errors.ts";
import type { Result } from "../base/result.ts";
import type { SearchQuery, SearchResult } from "../block/search.ts";

/** Searches texts without ever holding up the server. */
export interface Searcher {
  /** One result a text; REGEX_TIMEOUT when an expression takes longer than the deadline for all of them together. */
  search(
    texts: readonly string[],
    query: SearchQuery,
    /** Instead of the searcher's own deadline. */
    deadlineMs?: number,
  ): Promise<Result<readonly SearchResult[], Refusal>>;
  close(): Promise<void>;
}
