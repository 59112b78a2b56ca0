import type { ToolCallId } from "../base/ids.ts";
import type { JsonObject } from "../base/json.ts";
import type { NonEmptyArray } from "../base/non-empty.ts";
import type { ToolMessage } from "../message/types.ts";
import type { ErrorKind, FailureClass } from "../model/failure.ts";
import type { ApprovalRequest } from "./approval.ts";
import type { Question } from "./question.ts";
import type { SubAgent, SubAgentFailure } from "./sub-agent.ts";

/** A call that the model asked for, in the order asked. */
export interface ToolCall {
  readonly id: ToolCallId;
  readonly name: string;
  readonly parameters: JsonObject;
  /** Why it must not run, in words that the model can act on. */
  readonly argumentsError?: string;
}

/** Why a person ended a turn: to stop the agent, or to have the canvas to themselves. */
export type CancelReason = "stopped" | "control-taken";

/** What the model is asked for. */
export type Asking =
  | "reply"
  /** The turn has used up its tool rounds: one reply without tools. */
  | "last-words"
  /** A sub-agent answered in words: once more, to submit its result. */
  | "submission"
  /** The context is full: a summary without tools, with which a new branch can go on. */
  | "summary"
  /** The same because a person wants it; a failure or a cancel leaves the branch as it was. */
  | "wished-summary";

/** What a turn under way carries from step to step. */
export interface TurnProgress {
  /** Replies with calls so far. */
  readonly rounds: number;
  readonly asking: Asking;
  /** How often the process has stopped since the turn last came forward; left out for never. */
  readonly restarts?: number;
}

/** The calls of one reply while they are carried out. */
export interface ToolRound {
  /** Calls whose results are not stored yet, in the order asked for. */
  readonly pending: NonEmptyArray<ToolCall>;
  /** Those under way, in that order: one, or with `parallel` several. */
  readonly running: readonly ToolCallId[];
  /** Results that wait until those of earlier calls are stored, in the order asked for. */
  readonly arrived: readonly ToolMessage[];
  /** Calls whose results are stored: the nodes at the head, in order. */
  readonly completed: readonly ToolCallId[];
  /** Whether calls run side by side. One that needs a person or sets agents to work waits until it is alone. */
  readonly parallel: boolean;
}

interface UnderWay {
  readonly progress: TurnProgress;
}

/** The state of a run, told apart by `type`. It is stored after every event. Times are UTC milliseconds. */
export type TurnState =
  | { readonly type: "idle" }
  /** A message is in; the request is being prepared (the seed's AwaitingLlm). */
  | ({ readonly type: "awaiting" } & UnderWay)
  /** A request is under way, or waits for its retry at `retryAt` (UTC milliseconds). */
  | ({
      readonly type: "requesting";
      readonly attempt: number;
      readonly retryAt: number | null;
      readonly lastFailure: string | null;
    } & UnderWay)
  /** At least one call is running. */
  | ({ readonly type: "running-tools" } & ToolRound & UnderWay)
  /** Nothing runs; a person decides whether `request.callId` may. */
  | ({ readonly type: "awaiting-approval"; readonly request: ApprovalRequest } & ToolRound & UnderWay)
  /** Nothing runs; `callId` asks a person. */
  | ({
      readonly type: "awaiting-answer";
      readonly callId: ToolCallId;
      readonly questions: NonEmptyArray<Question>;
    } & ToolRound &
      UnderWay)
  /** Nothing runs here; the agents that `callId` asked for are at work, at least one of them. */
  | ({
      readonly type: "awaiting-sub-agents";
      readonly callId: ToolCallId;
      readonly agents: NonEmptyArray<SubAgent>;
    } & ToolRound &
      UnderWay)
  /** A person stopped the request of this attempt; waiting for its stream to close. */
  | ({ readonly type: "cancelling"; readonly attempt: number; readonly reason: CancelReason } & UnderWay)
  /** A person stopped the turn while agents worked for it; waiting until each of them has ended. */
  | ({
      readonly type: "cancelling-sub-agents";
      readonly reason: CancelReason;
      readonly callId: ToolCallId;
      readonly agents: NonEmptyArray<SubAgent>;
    } & ToolRound &
      UnderWay)
  | { readonly type: "error"; readonly kind: ErrorKind; readonly detail: FailureClass; readonly message: string }
  /**
   * The branch is summed up: the model's window is full, or a person wished for it. It can be read, and gone on with in a
   * new one that begins with the summary.
   */
  | { readonly type: "context-exhausted"; readonly summary: string }
  /** A sub-agent's end, for good. */
  | { readonly type: "completed"; readonly result: string; readonly success: boolean; readonly implicit: boolean }
  | { readonly type: "failed"; readonly reason: SubAgentFailure; readonly message: string };

/** The names of the states. */
export type TurnStateType = TurnState["type"];
