import * as v from "valibot";
import { actor, list, listEntry, whole } from "./shapes.ts";

export const listMessage = v.object({
  type: v.literal("list"),
  list,
  whole: v.boolean(),
  total: whole,
  entries: v.array(listEntry),
  removed: v.array(v.string()),
});

export const peopleMessage = v.object({
  type: v.literal("people"),
  whole: v.boolean(),
  entered: v.array(v.object({ clientId: v.string(), actor })),
  left: v.array(v.string()),
});
