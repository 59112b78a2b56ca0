import type { RunId, ToolCallId } from "../base/ids.ts";
import type { NonEmptyArray } from "../base/non-empty.ts";
import type { AssistantMessage, ToolMessage, UserMessage } from "../message/types.ts";
import type { Usage } from "../message/usage.ts";
import type { ModelFailure } from "../model/failure.ts";
import type { CallPolicy } from "../forest/run-rules.ts";
import type { ApprovalRequest } from "./approval.ts";
import type { Answer, Question } from "./question.ts";
import type { CancelReason } from "./state.ts";
import type { SubAgent, SubAgentOutcome } from "./sub-agent.ts";

/** What the machine goes by where a reply is whole, besides the reply. */
export interface ReplyFacts {
  /** How several calls of one reply are carried out. */
  readonly policy: CallPolicy;
  /** Which of its calls write; the others read. */
  readonly writes: readonly ToolCallId[];
  /** What the request and the reply fill of the model's window, from 0; null where that is not known. */
  readonly contextUsed: number | null;
  /** Whether the turn before ended with a window so full that people were told. */
  readonly contextTold: boolean;
}

/** A call that was under way when a process died. */
export interface LeftCall {
  readonly callId: ToolCallId;
  readonly started: boolean;
  /** Whether it may be run twice. */
  readonly idempotent: boolean;
  /** The arguments' hash that a person had allowed for it; null where nobody was asked. */
  readonly approved: string | null;
}

/**
 * What happened to a run. Every change of a run comes in as an event; times (UTC milliseconds) and sizes are in the
 * event.
 */
export type TurnEvent =
  | { readonly type: "message-sent"; readonly message: UserMessage }
  /** Ask again without a new message: regenerate, or go on after an error. */
  | { readonly type: "reply-requested" }
  /** Sum up now, as if the context were full. */
  | { readonly type: "summary-requested" }
  | { readonly type: "turn-cancelled"; readonly reason: CancelReason }
  | { readonly type: "request-prepared" }
  /** No request is made: a budget is used up. */
  | { readonly type: "request-refused"; readonly failure: ModelFailure }
  /** The reply is whole; null for an empty one. Its tool calls have ids that differ. */
  | {
      readonly type: "response-finished";
      readonly attempt: number;
      readonly message: AssistantMessage | null;
      readonly usage: Usage;
      readonly facts: ReplyFacts;
    }
  /** `partial` is what was already shown, complete tool calls included; `now` is UTC milliseconds. */
  | {
      readonly type: "response-failed";
      readonly attempt: number;
      readonly failure: ModelFailure;
      readonly partial: AssistantMessage | null;
      readonly now: number;
    }
  | { readonly type: "retry-due"; readonly attempt: number }
  | { readonly type: "tool-finished"; readonly callId: ToolCallId; readonly result: ToolMessage }
  /** A running call turned out to need a person; it has done nothing yet. */
  | { readonly type: "approval-needed"; readonly request: ApprovalRequest }
  | {
      readonly type: "approval-answered";
      readonly callId: ToolCallId;
      readonly argumentsHash: string;
      readonly decision: "allow" | "deny";
      /** Why, or what to do instead: told to the model with a denial. */
      readonly note?: string;
    }
  | { readonly type: "approval-expired"; readonly callId: ToolCallId }
  /** The running call asks a person. */
  | {
      readonly type: "question-asked";
      readonly callId: ToolCallId;
      readonly questions: NonEmptyArray<Question>;
    }
  /** One answer for each question, in order; null: the person would rather not, and the model goes on by itself. */
  | { readonly type: "question-answered"; readonly callId: ToolCallId; readonly answers: readonly Answer[] | null }
  /** The running call sets agents to work, 1 to `subAgentsMax`, none with an outcome. */
  | { readonly type: "sub-agents-planned"; readonly callId: ToolCallId; readonly agents: NonEmptyArray<SubAgent> }
  | { readonly type: "sub-agent-finished"; readonly runId: RunId; readonly outcome: SubAgentOutcome }
  /** A sub-agent's time is over. */
  | { readonly type: "deadline-reached" }
  /**
   * The process came back from a stop. `partial` is what the lost request had shown; `calls` those that were under way;
   * `now` is UTC milliseconds.
   */
  | {
      readonly type: "process-restarted";
      readonly partial: AssistantMessage | null;
      readonly calls: readonly LeftCall[];
      readonly now: number;
    };
