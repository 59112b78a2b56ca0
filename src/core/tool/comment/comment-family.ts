import type { ToolFamily } from "../base/family.ts";
import { commentTools } from "./comment-tools.ts";

/** Comments on the canvas; offered where a branch works with them. */
export const commentFamily: ToolFamily = {
  specs: () => commentTools,
  prompt: () => null,
  needsFolder: false,
};
