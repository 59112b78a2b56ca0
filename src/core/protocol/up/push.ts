import * as v from "valibot";
import { updateBytesMax } from "../base/limits.ts";
import { blockId, requestId } from "../base/parts.ts";

/** Minimum and maximum length of an update's base64 text. */
export const updateTextUnitsMin = 4;
export const updateTextUnitsMax = Math.ceil(updateBytesMax / 3) * 4;

export const pushMessage = v.object({
  type: v.literal("push"),
  requestId,
  blockId,
  update: v.pipe(v.string(), v.minLength(updateTextUnitsMin), v.maxLength(updateTextUnitsMax)),
});
