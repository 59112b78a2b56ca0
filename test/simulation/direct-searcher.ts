import { ok } from "../../src/core/base/result.ts";
import {
  compileSearch,
  searchableText,
  searchText,
  shownUnits,
  type Matches,
} from "../../src/core/block/search/search.ts";
import type { Searcher } from "../../src/core/port/searcher.ts";

/** Searches at once and without a deadline: its own thread would bring real time into a simulation. */
export const directSearcher: Searcher = {
  search: (text, query) => Promise.resolve(ok(searchText(text, query))),
  async searchKept(texts, query, { textsMax, unitsMax }) {
    const { find, ...invalid } = compileSearch(query);
    let units = 0;
    const found: { readonly index: number; readonly matches: Matches }[] = [];
    for (let index = 0; index < texts.of.length && found.length < textsMax && units < unitsMax; index += 1) {
      const loaded = await texts.load(index);
      if (loaded === null) continue;
      const matches = find(searchableText(loaded.text));
      if (matches.matches.length === 0) continue;
      units += shownUnits(matches);
      found.push({ index, matches });
    }
    return ok({ found, isFull: units >= unitsMax, ...invalid });
  },
  close: () => Promise.resolve(),
};
