import type { Refusal } from "../../core/base/errors.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { SearchQuery, SearchResult } from "../../core/block/search/search.ts";
import type { Clock } from "../../core/port/platform.ts";
import type { FoundTexts, KeptTexts, SearchBounds, Searcher } from "../../core/port/searcher.ts";
import { SearchLane } from "./search-lane.ts";

/** Milliseconds that the thread of a search of one text may compute; ten times as long by the clock. */
const searchDeadlineMs = 250;

/**
 * Creates a searcher with two threads, so that literal searches, whose time is proportional to the text, never wait behind
 * expressions.
 */
export function createSearcher(clock: Clock, deadlineMs: number = searchDeadlineMs): Searcher {
  const lanes = { literal: new SearchLane(clock), regex: new SearchLane(clock) };
  return {
    async search(text: string, query: SearchQuery): Promise<Result<SearchResult, Refusal>> {
      const searched = await lanes[query.mode].searchOne(text, query, deadlineMs);
      if (!searched.ok) return err(searched.error);
      const { found, isFull: _, ...invalid } = searched.value;
      return ok({ ...(found[0]?.matches ?? { matches: [], truncated: false }), ...invalid });
    },
    searchKept(texts: KeptTexts, query: SearchQuery, bounds: SearchBounds): Promise<Result<FoundTexts, Refusal>> {
      return lanes[query.mode].searchKept(texts, query, bounds);
    },
    async close() {
      await Promise.all([lanes.literal.close(), lanes.regex.close()]);
    },
  };
}
