import type { Instruction, UserMessage } from "../../message/types.ts";
import { save } from "./step.ts";
import type { SavedEffect } from "../event/effect.ts";

/** Appends an instruction of Heddle for the model to the branch. */
export function instruct(instruction: Instruction, text: string): SavedEffect {
  const message: UserMessage = { role: "user", content: [{ type: "text", text }], instruction };
  return save(message);
}

/** Requests an answer without tools when a turn has used up its rounds. */
export const lastWordsText =
  "You have used all the tool calls of this turn. Answer now in words, without calling tools: what is done, what is not, and what should come next.";

/** Requests the result of a sub-agent that answered in words. */
export const submissionText =
  "Your work ends with submit_result. Call it now, alone, with everything that whoever gave you the task needs to know.";

/** Requests a summary; `notRun` names the calls that were skipped for it. */
export function summaryText(notRun: readonly string[]): string {
  const names = [...new Set(notRun)].join(", ");
  return [
    "This branch of the conversation ends here.",
    ...(notRun.length === 0 ? [] : [`These calls were not run: ${names}.`]),
    "Write a summary from which the work can continue without the rest of this conversation: what the person wants, what was decided and why, what is done and its current state (names, paths, ids), what is open, and the next step. Call no tools.",
  ].join(" ");
}

/** Requests the rest of a reply that ends before its end. */
export const goOnText =
  "Your reply above stops here. Go on exactly where it stops: repeat nothing of it, and begin without an introduction.";

/** Replaces a summary that no model gave. */
export const noSummaryText =
  "No summary of the earlier branch could be made. Read that branch, or repeat what matters.";

/** Replaces a summary that a person stopped. */
export const cancelledSummaryText =
  "The summary of the earlier branch was cancelled. Read that branch, or repeat what matters.";
