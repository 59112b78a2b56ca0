import * as v from "valibot";
import { searchLimitMax, searchWordsUnitsMax } from "../limits.ts";
import { rootId, textUpTo } from "../parts.ts";

export const searchCommands = {
  "search.words": v.object({
    words: textUpTo(searchWordsUnitsMax),
    in: v.picklist(["messages", "blocks"]),
    rootId: v.exactOptional(rootId),
    limit: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(searchLimitMax))),
  }),
};
