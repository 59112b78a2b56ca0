import { refusal } from "../base/errors.ts";
import { refusalContent } from "../tool/answer-content.ts";
import { canvasTools } from "../tool/canvas-tools.ts";
import { findTool } from "../tool/registry.ts";
import type { ToolCall } from "./state.ts";

/** What people read where they took control: in the feed, and under a reply that it cut off. Models never see it. */
export const controlTakenNotice =
  "You took control of the canvas; later edits of the agent under its lease are refused (STALE_EPOCH).";

/** Whether a call works on a canvas under its lease. */
export function isCanvasCall({ name }: ToolCall): boolean {
  return findTool(canvasTools, name).ok;
}

/** What a canvas call is answered that was open when its lease was ended: what the canvas itself would say from then on. */
export function controlTakenAnswer(): string {
  return JSON.stringify(refusalContent(refusal("STALE_EPOCH")));
}
