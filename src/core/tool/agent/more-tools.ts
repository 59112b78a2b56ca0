import * as v from "valibot";
import { noReach } from "../base/reach.ts";
import type { ToolSpec } from "../base/types.ts";

/** The families of tools that a model has only where they are worked with, or after it asked for them. */
export const familiesOnAsking = ["blocks"] as const;
export type FamilyOnAsking = (typeof familiesOnAsking)[number];

/** Asks for a family of tools; the model has them from its next turn on. */
export const moreTools = {
  name: "more_tools",
  description:
    "Asks for further tools, which you have from your next turn on. blocks: find, read and edit other documents, and search what was said in all conversations.",
  input: v.strictObject({
    families: v.pipe(v.array(v.picklist(familiesOnAsking)), v.minLength(1), v.maxLength(familiesOnAsking.length)),
  }),
  access: "read",
  reach: noReach,
  idempotent: true,
} as const satisfies ToolSpec;
