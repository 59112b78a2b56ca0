import * as v from "valibot";
import { count, wholeCharacters } from "../base/parts.ts";

export const helloMessage = v.object({
  type: v.literal("hello"),
  protocol: count,
  schemaHash: v.pipe(v.string(), v.maxLength(64)),
  token: v.pipe(v.string(), v.maxLength(256)),
  clientId: v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{16,64}$/)),
  name: v.exactOptional(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(80), wholeCharacters)),
});
