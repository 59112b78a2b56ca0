import { unreachable } from "../../../../src/core/base/assert.ts";
import type { ToolCallId } from "../../../../src/core/base/ids.ts";
import type { ToolCall, TurnState } from "../../../../src/core/turn/state.ts";

/** Where a call stands that has no result yet. */
export type CallStanding =
  | "running"
  /** A person decides whether it may run. */
  | "approval"
  /** It asks a person something. */
  | "answer"
  /** Calls before it come first. */
  | "its-turn"
  /** No run carries it out. */
  | "left";

const none: ReadonlyMap<ToolCallId, CallStanding> = new Map();

/** The calls of a run's round that have no result yet, and where each stands. */
export function callStandings(state: TurnState | null): ReadonlyMap<ToolCallId, CallStanding> {
  switch (state?.type) {
    case "running-tools":
      return standings(state.pending, ({ id }) => (state.running.includes(id) ? "running" : "its-turn"));
    case "awaiting-approval":
      return standings(state.pending, ({ id }) => (id === state.request.callId ? "approval" : "its-turn"));
    case "awaiting-answer":
      return standings(state.pending, ({ id }) => (id === state.callId ? "answer" : "its-turn"));
    case "awaiting-sub-agents":
    case "cancelling-sub-agents":
      return standings(state.pending, ({ id }) => (id === state.callId ? "running" : "its-turn"));
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

function standings(
  pending: readonly ToolCall[],
  standingOf: (call: ToolCall) => CallStanding,
): ReadonlyMap<ToolCallId, CallStanding> {
  return new Map(pending.map((call) => [call.id, standingOf(call)]));
}
