import { ok } from "../../src/core/base/result.ts";
import { searchText } from "../../src/core/block/search.ts";
import type { Searcher } from "../../src/core/port/searcher.ts";

/** Searches at once and without a deadline: in a simulation a thread of its own would bring in real time. */
export const directSearcher: Searcher = {
  search: (texts, query) => Promise.resolve(ok(texts.map((text) => searchText(text, query)))),
  close: () => Promise.resolve(),
};
