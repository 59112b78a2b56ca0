import { unreachable } from "../../../core/base/assert.ts";
import type { JsonObject } from "../../../core/base/json.ts";
import type { Usage } from "../../../core/message/usage.ts";
import type { Question } from "../../../core/turn/state/question.ts";
import type { RunView } from "../../../client/base/types.ts";
import type { BranchEvent } from "../chat/follow-run.ts";
import { resultText, stateLabel } from "../chat/words.ts";

/** One line of `heddle run --json`. Other events of the branch give no line; readers ignore types that they do not know. */
export type RunEvent =
  | { readonly type: "started"; readonly conversation: string; readonly run: string; readonly model: string }
  /** The state of the turn: its name as in the protocol, and the label that people read. */
  | { readonly type: "state"; readonly state: string; readonly label: string; readonly attempt?: number }
  /** New words of the answer, or of the model's thinking. */
  | { readonly type: "text" | "thinking"; readonly text: string }
  /** The reply so far does not count; it is requested again. */
  | { readonly type: "broken-off" }
  | {
      readonly type: "tool-call";
      readonly id: string;
      readonly name: string;
      readonly arguments: JsonObject;
      readonly place: number;
      readonly of: number;
    }
  | { readonly type: "tool-output"; readonly id: string; readonly text: string }
  | {
      readonly type: "tool-result";
      readonly id: string;
      readonly name: string;
      readonly outcome: string;
      readonly text: string;
    }
  /** A call needed an approval, and got this decision. */
  | {
      readonly type: "approval";
      readonly id: string;
      readonly name: string;
      readonly reason: string;
      readonly decision: "allow" | "deny";
    }
  /** The model asked a person, and was told that nobody can answer. */
  | { readonly type: "question"; readonly id: string; readonly questions: readonly Question[] }
  | {
      readonly type: "sub-agent";
      readonly place: number;
      readonly of: number;
      readonly outcome: string;
      readonly text: string;
    }
  | { readonly type: "notice"; readonly text: string }
  | { readonly type: "connection"; readonly state: "lost" | "back" }
  /** Last, always. `text` is the whole answer. */
  | {
      readonly type: "end";
      readonly outcome: "ok" | "failed" | "cancelled";
      readonly text: string;
      /** The answer to a request with a schema, once it fits. */
      readonly value?: JsonObject;
      readonly exit: number;
      /** The answer was cut off at its token limit. */
      readonly cut?: true;
      /** The provider's filter stopped the answer before its end. */
      readonly filtered?: true;
      readonly usage: Usage;
      /** US dollars of the turn at the known prices; absent where a price is unknown. */
      readonly dollars?: number;
      readonly error?: { readonly code: string; readonly message: string };
    };

/** Returns an event of the branch as a line for programs; null where they get none. */
export function runEvent(branchEvent: BranchEvent): RunEvent | null {
  switch (branchEvent.type) {
    case "text":
    case "thinking":
      return { type: branchEvent.type, text: branchEvent.text };
    case "reply":
    case "user-message":
      return null;
    case "reply-broken":
      return { type: "broken-off" };
    case "call": {
      const { call, place, of } = branchEvent;
      return { type: "tool-call", id: call.id, name: call.name, arguments: call.parameters, place, of };
    }
    case "output":
      return { type: "tool-output", id: branchEvent.callId, text: branchEvent.text };
    case "result": {
      const { result } = branchEvent;
      const { tool_call_id: id, tool_name: name, outcome } = result;
      return { type: "tool-result", id, name, outcome, text: resultText(result) };
    }
    case "sub-agent": {
      const { agent, place, of } = branchEvent;
      const { outcome } = agent;
      if (outcome === null) return null;
      const text = outcome.type === "completed" ? outcome.result : outcome.message;
      return {
        type: "sub-agent",
        place,
        of,
        outcome: outcome.type === "completed" ? "completed" : outcome.reason,
        text,
      };
    }
    case "notice":
      return { type: "notice", text: branchEvent.text };
    case "state":
      return stateEvent(branchEvent.run);
    default:
      return unreachable(branchEvent);
  }
}

function stateEvent(run: RunView): RunEvent {
  const { state } = run;
  const attempt = state.type === "requesting" ? { attempt: state.attempt } : {};
  return { type: "state", state: state.type, label: stateLabel(run, run.since), ...attempt };
}
