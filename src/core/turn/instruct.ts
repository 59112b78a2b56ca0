import type { Instruction, UserMessage } from "../message/types.ts";
import { save } from "./step.ts";
import type { SavedEffect } from "./effect.ts";

/** Puts what Heddle tells the model at the head of the branch. */
export function instruct(instruction: Instruction, text: string): SavedEffect {
  const message: UserMessage = { role: "user", content: [{ type: "text", text }], instruction };
  return save(message);
}

/** Asks for an answer without tools, once a turn has used up its rounds. */
export const lastWordsText =
  "You have used all the tool calls of this turn. Answer now in words, without calling tools: what is done, what is not, and what should come next.";

/** Asks a sub-agent that answered in words for its result. */
export const submissionText =
  "Your work ends with submit_result. Call it now, alone, with everything that whoever gave you the task needs to know.";

/** Asks for a summary; `notRun` names the calls that were given up for it. */
export function summaryText(notRun: readonly string[]): string {
  const names = [...new Set(notRun)].join(", ");
  return [
    "This branch of the conversation ends here.",
    ...(notRun.length === 0 ? [] : [`These calls were not run: ${names}.`]),
    "Write a summary with which the work can go on where nothing else of it can be seen: what the person wants, what was decided and why, what is done and where it stands (names, paths, ids), what is open, and the next step. Call no tools.",
  ].join(" ");
}

/** Stands for a summary that no model gave. */
export const noSummaryText =
  "No summary could be made of the earlier branch. Read it there, or say again what matters.";

/** Stands for a summary that a person stopped. */
export const cancelledSummaryText =
  "The summary of the earlier branch was cancelled. Read it there, or say again what matters.";
