import * as v from "valibot";
import { requestId } from "../base/parts.ts";

export const callMessage = v.object({
  type: v.literal("call"),
  requestId,
  command: v.pipe(v.string(), v.maxLength(100)),
  params: v.unknown(),
});
