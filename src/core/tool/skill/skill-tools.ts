import * as v from "valibot";
import { documentReach } from "../base/reach.ts";
import type { ToolSpec } from "../base/types.ts";

/** Loads the text of a skill; offered where there are skills. */
export const loadSkill = {
  name: "load_skill",
  description:
    "Returns the text of a skill from the list in the instructions. Load it before you begin a task that it fits.",
  input: v.strictObject({ name: v.pipe(v.string(), v.nonEmpty(), v.maxLength(64), v.description("As in the list.")) }),
  access: "read",
  reach: documentReach,
  idempotent: true,
  forSubAgents: true,
} as const satisfies ToolSpec;
