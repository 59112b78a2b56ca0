import type { NodeId, RunId, ToolCallId } from "../../base/ids.ts";
import type { Compacts, SeenCanvas } from "../../forest/types.ts";
import type { NonEmptyArray } from "../../base/non-empty.ts";
import type { AssistantMessage, ToolMessage, UserMessage } from "../../message/types.ts";
import type { Usage } from "../../message/usage.ts";
import type { ModelFailure } from "../../model/failure.ts";
import type { CallPolicy } from "../../forest/run-rules.ts";
import type { ApprovalRequest } from "../state/approval.ts";
import type { Answer, Question } from "../state/question.ts";
import type { CancelReason, Compaction, CompactionWish } from "../state/state.ts";
import type { BringsSteers } from "../state/waiting.ts";
import type { SubAgent, SubAgentOutcome } from "../state/sub-agent.ts";

/** Facts beside a complete reply that the machine's decisions need. */
export interface ReplyFacts {
  /** Which calls of one reply run, and how. */
  readonly policy: CallPolicy;
  /** The calls that write; the others read. */
  readonly writes: readonly ToolCallId[];
  /** The share of the model's window that request and reply fill, from 0; null when unknown. */
  readonly contextUsed: number | null;
  /** Whether the reply was cut off at its token limit. */
  readonly cut?: true;
  /** Whether people were already warned about the window's fill after the turn before. */
  readonly contextWarned: boolean;
  /** Set when a compaction makes room before the next request, so that a full window ends nothing. */
  readonly compacts?: boolean;
}

/** The next model of a turn, in place of one that does not answer; each `provider/model`. */
export interface Fallback {
  readonly from: string;
  readonly to: string;
}

/** A call that was running when a process died. */
export interface UnfinishedCall {
  readonly callId: ToolCallId;
  readonly started: boolean;
  /** Whether a second run does no harm. */
  readonly idempotent: boolean;
  /** The hash of the arguments that a person allowed; null when nobody was asked. */
  readonly approved: string | null;
}

/** The events at which a run may go on; each brings the messages that wait to steer it. */
export const boundaryEvents: ReadonlySet<TurnEvent["type"]> = new Set([
  "request-prepared",
  "retry-due",
  "response-finished",
  "tool-finished",
  "sub-agent-finished",
  "approval-answered",
  "approval-expired",
  "question-answered",
  "process-restarted",
]);

/**
 * An event of a run. Every change of a run comes in as an event; times (UTC milliseconds) and sizes are in the
 * event.
 */
export type TurnEvent =
  /** `waiting`: the id under which the message waited. */
  | { readonly type: "message-sent"; readonly message: UserMessage; readonly waiting?: NodeId }
  /**
   * Asks again without a new message: to regenerate, to continue after an error, or to go on from a reply. `goOn`: the
   * model is told to go on, because the request cannot end with the reply itself.
   */
  | { readonly type: "reply-requested"; readonly goOn?: true }
  /** Asks for a summary now, as if the context were full. */
  | { readonly type: "summary-requested" }
  /** Asks to sum up what lies far back: now, before the next request, or when the turn is over. */
  | { readonly type: "compaction-requested"; readonly wish: CompactionWish }
  | { readonly type: "turn-cancelled"; readonly reason: CancelReason }
  | ({ readonly type: "request-prepared" } & BringsSteers)
  /** No request is made: a budget is used up. */
  | { readonly type: "request-refused"; readonly failure: ModelFailure }
  /** Before the request that was to be prepared, the branch is summed up. */
  | ({ readonly type: "compaction-due" } & Pick<Compaction, "by" | "messages" | "midTurn" | "overflow">)
  /** The summary is complete: `message` holds it, with what Heddle adds. */
  | {
      readonly type: "compaction-finished";
      readonly attempt: number;
      readonly message: UserMessage;
      readonly compacts: Compacts;
      /** The conversation's canvas at the revision that the message names. */
      readonly canvas: SeenCanvas | null;
      readonly usage: Usage;
    }
  /** The reply is no summary: it holds calls alone or nothing, or saves too little. */
  | {
      readonly type: "compaction-discarded";
      readonly attempt: number;
      readonly reason: "no-words" | "not-smaller";
      readonly usage: Usage;
    }
  /** The reply is complete; null for an empty one. Its tool calls have distinct ids. */
  | ({
      readonly type: "response-finished";
      readonly attempt: number;
      readonly message: AssistantMessage | null;
      readonly usage: Usage;
      readonly facts: ReplyFacts;
    } & BringsSteers)
  /** `partial` is the part already shown, complete tool calls included; `now` is UTC milliseconds. */
  | {
      readonly type: "response-failed";
      readonly attempt: number;
      readonly failure: ModelFailure;
      readonly partial: AssistantMessage | null;
      readonly now: number;
      /** The model that is asked next when this one stays away; absent for none. */
      readonly fallback?: Fallback;
      /** The request was too long, and a compaction may make room for it. */
      readonly compacts?: true;
    }
  | ({ readonly type: "retry-due"; readonly attempt: number } & BringsSteers)
  | ({ readonly type: "tool-finished"; readonly callId: ToolCallId; readonly result: ToolMessage } & BringsSteers)
  /** A running call turned out to need approval; it has no effects yet. */
  | { readonly type: "approval-needed"; readonly request: ApprovalRequest }
  | ({
      readonly type: "approval-answered";
      readonly callId: ToolCallId;
      readonly argumentsHash: string;
      readonly decision: "allow" | "deny";
      /** The reason for a denial, or an alternative; sent to the model. */
      readonly note?: string;
    } & BringsSteers)
  | ({ readonly type: "approval-expired"; readonly callId: ToolCallId } & BringsSteers)
  /** The running call asks a person. With an `asker`, that program asks in the midst of the call, and waits. */
  | {
      readonly type: "question-asked";
      readonly callId: ToolCallId;
      readonly questions: NonEmptyArray<Question>;
      readonly asker?: string;
    }
  /** One answer for each question, in order; null: the person declined, and the model continues by itself. */
  | ({
      readonly type: "question-answered";
      readonly callId: ToolCallId;
      readonly answers: readonly Answer[] | null;
    } & BringsSteers)
  /** The running call starts agents, 1 to `subAgentsMax`, none with an outcome. */
  | { readonly type: "sub-agents-planned"; readonly callId: ToolCallId; readonly agents: NonEmptyArray<SubAgent> }
  | ({ readonly type: "sub-agent-finished"; readonly runId: RunId; readonly outcome: SubAgentOutcome } & BringsSteers)
  /** A sub-agent's time is over. */
  | { readonly type: "deadline-reached" }
  /**
   * The process restarted. `partial` is what the lost request had shown; `calls` those that were running;
   * `now` is UTC milliseconds.
   */
  | ({
      readonly type: "process-restarted";
      readonly partial: AssistantMessage | null;
      readonly calls: readonly UnfinishedCall[];
      readonly now: number;
    } & BringsSteers);
