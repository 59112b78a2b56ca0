import { refusal } from "../../../core/base/errors.ts";
import { reasonOf } from "../../../core/base/reason.ts";
import type { ToolMessage } from "../../../core/message/types.ts";
import { refusalContent } from "../../../core/tool/base/answer-content.ts";
import type { ToolAnswer } from "../../../core/tool/base/types.ts";
import type { ToolCall } from "../../../core/turn/state/state.ts";

/** Returns a tool's answer as a message for the model and people. */
export function toolMessage(call: ToolCall, answer: ToolAnswer): ToolMessage {
  return {
    role: "tool",
    tool_call_id: call.id,
    tool_name: call.name,
    content: answer.blocks ?? [{ type: "text", text: JSON.stringify(answer.content ?? null) }],
    outcome: answer.ok ? "ok" : "error",
    ...(answer.revisionId === undefined ? {} : { revision_id: answer.revisionId }),
    ...(answer.leaseId === undefined ? {} : { lease_id: answer.leaseId }),
  };
}

/** Returns the answer of a tool that threw: the conversation continues, and the model learns of it. */
export function failedToolAnswer(problem: unknown): ToolAnswer {
  const reason = reasonOf(problem);
  const failed = refusal("TOOL_FAILED", { reason });
  return { ok: false, code: failed.code, content: refusalContent(failed) };
}
