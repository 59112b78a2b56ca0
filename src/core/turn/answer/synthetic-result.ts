import type { ToolMessage, ToolOutcome } from "../../message/types.ts";
import { controlTakenAnswer } from "./control-taken.ts";
import type { ToolCall } from "../state/state.ts";

/** Why Heddle answers a call in the tool's place. */
export type SyntheticReason =
  | "cancelled"
  | "control-taken"
  | "skipped"
  | "cancelled-before-execution"
  | "arguments-invalid"
  | "outcome-unknown"
  | "declined"
  | "approval-expired"
  | "one-call-a-reply"
  | "write-alone"
  | "not-offered"
  | "context-full"
  | "time-over"
  | "submit-alone";

const rows: Record<
  Exclude<SyntheticReason, "arguments-invalid">,
  { readonly outcome: ToolOutcome; readonly text: string }
> = {
  cancelled: { outcome: "cancelled", text: "Cancelled by user" },
  "control-taken": { outcome: "cancelled", text: controlTakenAnswer() },
  skipped: { outcome: "skipped", text: "Skipped due to cancellation" },
  "cancelled-before-execution": { outcome: "cancelled", text: "Cancelled by user before execution" },
  "outcome-unknown": {
    outcome: "unknown",
    text: "The process stopped while this tool was running; its effects are unknown. Check before repeating.",
  },
  declined: { outcome: "denied", text: "The person declined to answer. Use your own judgement." },
  "approval-expired": {
    outcome: "denied",
    text: "Not run: nobody allowed this call in time. Continue without it, or say what you need it for.",
  },
  "one-call-a-reply": {
    outcome: "skipped",
    text: "Not run: only the first call of a reply is carried out here. Call it again if you still need it.",
  },
  "write-alone": {
    outcome: "skipped",
    text: "Not run: a call that writes must be the first and only call of its reply. Call it again if you still need it.",
  },
  "not-offered": { outcome: "skipped", text: "Not run: no such tool was offered for this reply." },
  "context-full": { outcome: "skipped", text: "Not run: the context is full." },
  "time-over": { outcome: "cancelled", text: "Stopped: this agent's time is over." },
  "submit-alone": {
    outcome: "error",
    text: "Not run: submit_result must be the only call of its reply. Make your other calls first, then submit.",
  },
};

/** Builds the result of a call that no tool answered. Providers reject a history with an unanswered call. */
export function syntheticResult(call: ToolCall, reason: SyntheticReason): ToolMessage {
  if (reason !== "arguments-invalid") return answerFor(call, rows[reason]);
  const text = call.argumentsError ?? "The call was not run: its arguments could not be read. Send it again.";
  // A person who breaks a call keeps it from running: the model did nothing wrong.
  return answerFor(call, { outcome: call.editedBy === undefined ? "error" : "skipped", text });
}

/** Builds Heddle's answer to a call in the tool's place. */
export function answerFor(
  call: ToolCall,
  { outcome, text }: { readonly outcome: ToolOutcome; readonly text: string },
): ToolMessage {
  return {
    role: "tool",
    tool_call_id: call.id,
    tool_name: call.name,
    content: [{ type: "text", text }],
    outcome,
    synthetic: true,
  };
}
