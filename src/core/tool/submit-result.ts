import * as v from "valibot";
import type { ToolSpec } from "./types.ts";

/** How a sub-agent hands over what it found. Only sub-agents are offered it, and it ends them. */
export const submitResult = {
  name: "submit_result",
  description:
    "Hands your result to whoever gave you the task and ends your work. Call it once, alone in a reply, when you are done or cannot go on: nothing that you say otherwise is read.",
  input: v.strictObject({
    result: v.pipe(v.string(), v.trim(), v.nonEmpty(), v.maxLength(200_000)),
    success: v.optional(v.boolean(), true),
  }),
  access: "read",
  idempotent: true,
  reach: { readsPrivate: false, bringsUntrusted: false, outward: false },
} as const satisfies ToolSpec;
