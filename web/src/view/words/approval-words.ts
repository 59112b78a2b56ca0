import type { ApprovalReason, RememberedFor } from "../../../../src/core/turn/state/approval.ts";

/** Why a call waits for a person. */
export const reasonWords: Record<ApprovalReason, string> = {
  tier: "This conversation asks you before such a call runs.",
  taint:
    "This call leaves this machine. The agent has read your documents and text written by someone else, and that text could have asked for this call. Check what it sends.",
  "definition-changed": "You allowed this tool before, but its description has changed since then.",
  "in-draft":
    "This reply works in a draft of its own, and the call changes what no draft holds: which files there are, or something outside. You are asked each time.",
  "run-by-others":
    "Other programs run or obey this file by themselves: git, an editor, a package manager, CI or another agent. Read the whole change; you are asked each time.",
};

const allAllowances: readonly (readonly [RememberedFor, string])[] = [
  ["once", "Allow once"],
  ["conversation", "Allow in this conversation"],
  ["always", "Always allow"],
];

/** The permissions that a person can give. No permission covers a later call where each call is asked about. */
export function allowancesFor(reason: ApprovalReason): readonly (readonly [RememberedFor, string])[] {
  return reason === "in-draft" || reason === "run-by-others" ? allAllowances.slice(0, 1) : allAllowances;
}

/** What a permission beyond this call covers. A tool that runs commands, and a suspect call, is allowed call by call. */
export function furtherCalls(name: string, reason: ApprovalReason): string {
  return reason === "taint"
    ? "A longer permission covers exactly this call and no other."
    : `A longer permission covers every later call of ${name}; where a tool runs commands, exactly this command.`;
}
