import * as v from "valibot";
import type { ListEntry } from "../../forest/list.ts";
import { list } from "../base/list.ts";
import { actor, canvasSummary, conversationSummary, whole } from "./shapes.ts";

const entry: v.GenericSchema<unknown, ListEntry> = v.union([conversationSummary, canvasSummary]);

export const listMessage = v.object({
  type: v.literal("list"),
  list,
  whole: v.boolean(),
  total: whole,
  entries: v.array(entry),
  removed: v.array(v.string()),
});

export const peopleMessage = v.object({
  type: v.literal("people"),
  whole: v.boolean(),
  entered: v.array(v.object({ clientId: v.string(), actor })),
  left: v.array(v.string()),
});
