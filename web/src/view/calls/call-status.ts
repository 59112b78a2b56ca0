import { unreachable } from "../../../../src/core/base/assert.ts";
import type { ToolCallId } from "../../../../src/core/base/ids.ts";
import type { ToolCall, TurnState } from "../../../../src/core/turn/state/state.ts";

/** The status of a call without a result. */
export type CallStatus =
  | "running"
  /** A person decides whether it may run. */
  | "approval"
  /** The call asks a person a question. */
  | "answer"
  /** Earlier calls run first. */
  | "its-turn"
  /** No run performs the call. */
  | "left";

const none: ReadonlyMap<ToolCallId, CallStatus> = new Map();

/** Returns the status of each call without a result in a run's round. */
export function callStatuses(state: TurnState | null): ReadonlyMap<ToolCallId, CallStatus> {
  switch (state?.type) {
    case "running-tools":
      return statuses(state.pending, ({ id }) => (state.running.includes(id) ? "running" : "its-turn"));
    case "awaiting-approval":
      return statuses(state.pending, ({ id }) => (id === state.request.callId ? "approval" : "its-turn"));
    case "awaiting-answer":
      return statuses(state.pending, ({ id }) => (id === state.callId ? "answer" : "its-turn"));
    case "awaiting-sub-agents":
    case "cancelling-sub-agents":
      return statuses(state.pending, ({ id }) => (id === state.callId ? "running" : "its-turn"));
    case undefined:
    case "idle":
    case "awaiting":
    case "requesting":
    case "cancelling":
    case "error":
    case "context-exhausted":
    case "completed":
    case "failed":
      return none;
    default:
      return unreachable(state);
  }
}

function statuses(
  pending: readonly ToolCall[],
  statusOf: (call: ToolCall) => CallStatus,
): ReadonlyMap<ToolCallId, CallStatus> {
  return new Map(pending.map((call) => [call.id, statusOf(call)]));
}
