import * as v from "valibot";
import { noReach } from "../base/reach.ts";
import type { ToolSpec } from "../base/types.ts";

export const think = {
  name: "think",
  description:
    "A place to think: records a thought and does nothing else. Use it before a plan of several steps or after an unexpected answer.",
  input: v.strictObject({ thought: v.pipe(v.string(), v.nonEmpty(), v.maxLength(50_000)) }),
  access: "read",
  reach: noReach,
  idempotent: true,
  forSubAgents: true,
} as const satisfies ToolSpec;
