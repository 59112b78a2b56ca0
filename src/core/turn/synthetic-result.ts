import type { ToolMessage, ToolOutcome } from "../message/types.ts";
import { controlTakenAnswer } from "./control-taken.ts";
import type { ToolCall } from "./state.ts";

/** Why Heddle answers a call in the tool's place. */
export type SyntheticReason =
  | "cancelled"
  | "control-taken"
  | "skipped"
  | "cancelled-before-execution"
  | "arguments-invalid"
  | "outcome-unknown";

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
};

/** The result of a call that no tool answered. Providers reject a history in which a call has none. */
export function syntheticResult(call: ToolCall, reason: SyntheticReason): ToolMessage {
  const { outcome, text } =
    reason === "arguments-invalid"
      ? {
          outcome: "error" as const,
          text: call.argumentsError ?? "The call was not run: its arguments could not be read. Send it again.",
        }
      : rows[reason];
  return {
    role: "tool",
    tool_call_id: call.id,
    tool_name: call.name,
    content: [{ type: "text", text }],
    outcome,
    synthetic: true,
  };
}
