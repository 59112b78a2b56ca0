import * as v from "valibot";
import { searchWordsUnitsMax } from "../limits.ts";
import { blockId, textUpTo } from "../parts.ts";

/** What of two texts of a file stays: the block's, the one on disk, or both. */
export const keptSides = ["ours", "theirs", "both"] as const;

export const fileCommands = {
  "file.list": v.object({
    containing: v.exactOptional(textUpTo(searchWordsUnitsMax)),
    openedOnly: v.exactOptional(v.boolean()),
  }),
  "file.open": v.object({ path: textUpTo(4_096) }),
  "file.resolve": v.object({ blockId, keep: v.picklist(keptSides), hash: textUpTo(64) }),
};
