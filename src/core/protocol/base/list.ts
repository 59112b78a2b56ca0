import * as v from "valibot";
import type { List } from "../../forest/list.ts";
import { listCountMax, searchWordsUnitsMax } from "./limits.ts";
import { blockId, described, rootId } from "./parts.ts";

const filter = described(
  v.pipe(v.string(), v.maxLength(searchWordsUnitsMax)),
  "Words that all occur in the title, in any case; empty for every entry.",
);
const count = described(
  v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(listCountMax)),
  "How many entries, from the first on.",
);

/** Which entries a client watches. */
export const list: v.GenericSchema<unknown, List> = v.variant("of", [
  v.strictObject({
    of: v.literal("conversations"),
    archived: v.boolean(),
    order: v.picklist(["created", "updated"]),
    filter,
    count,
  }),
  v.strictObject({ of: v.literal("canvases"), filter, count }),
  v.strictObject({ of: v.literal("conversation"), id: rootId }),
  v.strictObject({ of: v.literal("canvas"), id: blockId }),
]);
