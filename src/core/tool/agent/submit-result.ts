import * as v from "valibot";
import type { ToolSpec } from "../base/types.ts";

/** Delivers the result of a sub-agent and ends it. Only sub-agents are offered it. */
export const submitResult = {
  name: "submit_result",
  description:
    "Submits your result to whoever gave you the task and ends your work. Call it once, alone in a reply, when you are done or cannot continue. Nothing else you say is read.",
  input: v.strictObject({
    result: v.pipe(v.string(), v.trim(), v.nonEmpty(), v.maxLength(200_000)),
    success: v.optional(v.boolean(), true),
  }),
  access: "read",
  idempotent: true,
  reach: { readsPrivate: false, bringsUntrusted: false, outward: false },
} as const satisfies ToolSpec;
