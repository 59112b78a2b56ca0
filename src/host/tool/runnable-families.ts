import type { ToolFamilyId } from "../../core/tool/registry.ts";
import { runnableModelBlockTools } from "./block-tools.ts";
import { runnableCanvasTools } from "./canvas-tools.ts";
import { runnableCommentTools } from "./comment-tools.ts";
import { runnableFileTools } from "./file-tools.ts";
import type { RunnableTool, ToolRun } from "./runnable.ts";
import { runnableShellTools } from "./shell-tools.ts";

/** The runnable tools of each family. */
export const runnableFamilies: Readonly<Record<ToolFamilyId, readonly RunnableTool<ToolRun>[]>> = {
  canvas: runnableCanvasTools,
  comments: runnableCommentTools,
  blocks: runnableModelBlockTools,
  files: runnableFileTools,
  shell: runnableShellTools,
};
