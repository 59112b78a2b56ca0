import * as v from "valibot";
import { updateBytesMax } from "../limits.ts";
import { blockId, requestId } from "../parts.ts";

export const pushMessage = v.object({
  type: v.literal("push"),
  requestId,
  blockId,
  update: v.pipe(v.string(), v.minLength(4), v.maxLength(Math.ceil(updateBytesMax / 3) * 4)),
});
