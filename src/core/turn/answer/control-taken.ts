import { refusal } from "../../base/errors.ts";
import { refusalContent } from "../../tool/base/answer-content.ts";
import { canvasTools } from "../../tool/canvas/canvas-tools.ts";
import { findTool } from "../../tool/registry.ts";
import type { ToolCall } from "../state/state.ts";

/**
 * The notice for people when a person takes control: in the feed, and under an interrupted reply. Models never see it.
 */
export const controlTakenNotice =
  "You took control of the canvas; later edits of the agent under its lease are refused (STALE_EPOCH).";

/** Whether a call works on a canvas under its lease. */
export function isCanvasCall({ name }: ToolCall): boolean {
  return findTool(canvasTools, name).ok;
}

/**
 * Returns the answer to a canvas call that was open when its lease ended: the refusal that the canvas gives from then on.
 */
export function controlTakenAnswer(): string {
  return JSON.stringify(refusalContent(refusal("STALE_EPOCH")));
}
