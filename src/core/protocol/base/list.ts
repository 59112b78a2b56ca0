import * as v from "valibot";
import { listOrders, type List } from "../../forest/list.ts";
import { folderPath } from "./folder-path.ts";
import { listCountMax, searchWordsUnitsMax } from "./limits.ts";
import { blockId, described, label, rootId } from "./parts.ts";

const filter = described(
  v.pipe(v.string(), v.maxLength(searchWordsUnitsMax)),
  "Words that all occur in the title, in any case; empty for every entry.",
);
const count = described(
  v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(listCountMax)),
  "How many entries, from the first on.",
);

const order = described(
  v.picklist(listOrders),
  "Newest first by creation or by change, or by title; pinned entries come first.",
);

/** Which entries a client watches. */
export const list: v.GenericSchema<unknown, List> = v.variant("of", [
  v.strictObject({
    of: v.literal("conversations"),
    archived: v.boolean(),
    order,
    filter,
    tag: v.exactOptional(described(label, "A tag that the conversations have.")),
    count,
  }),
  v.strictObject({
    of: v.literal("canvases"),
    filter,
    count,
    order: v.exactOptional(order),
    folderPath: v.exactOptional(described(folderPath, "Only canvases in this document folder itself.")),
    archived: v.exactOptional(v.boolean()),
  }),
  v.strictObject({ of: v.literal("canvas-folders") }),
  v.strictObject({ of: v.literal("conversation"), id: rootId }),
  v.strictObject({ of: v.literal("canvas"), id: blockId }),
]);
