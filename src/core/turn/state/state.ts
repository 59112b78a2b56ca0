import type { NodeId, ToolCallId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import type { NonEmptyArray } from "../../base/non-empty.ts";
import type { ToolMessage } from "../../message/types.ts";
import type { ErrorKind, FailureClass, ModelFailure } from "../../model/failure.ts";
import type { ApprovalRequest } from "./approval.ts";
import type { Question } from "./question.ts";
import type { SubAgent, SubAgentFailure } from "./sub-agent.ts";

/** A call of the model, in the order of its reply. */
export interface ToolCall {
  readonly id: ToolCallId;
  readonly name: string;
  readonly parameters: JsonObject;
  /** Why it must not run, in words that the model can act on. */
  readonly argumentsError?: string;
  /** Names of the people who changed the arguments while they streamed. */
  readonly editedBy?: string;
}

/** Why a turn was ended: to stop the agent, to have the canvas to oneself, or since somebody it works for may not ask any more. */
export const cancelReasons = ["stopped", "control-taken", "rights-ended"] as const;
export type CancelReason = (typeof cancelReasons)[number];

/** What the model is asked for. */
export type Asking =
  | "reply"
  /** The turn has used up its tool rounds: one reply without tools. */
  | "last-words"
  /** A sub-agent answered in words: one more reply, to submit its result. */
  | "submission"
  /** The context is full: a summary without tools, from which a new branch can continue. */
  | "summary"
  /** The same at a person's request; a failure or a cancel leaves the branch unchanged. */
  | "wished-summary"
  /** A summary of what lies far back, which later requests of this branch hold in its place. */
  | "compaction";

/** What a person asks of a compaction. */
export interface CompactionWish {
  /** The last message to sum up; absent: as for one that begins by itself. */
  readonly through?: NodeId;
  /** What the summary should keep above all, in the person's words. */
  readonly focus?: string;
}

/** The compaction under way. */
export interface Compaction extends CompactionWish {
  /** What the model is asked for afterwards; null: nothing, the branch was idle. */
  readonly next: "reply" | "last-words" | "submission" | null;
  /** Who asked for it: the share of the window that the conversation sets, or a person. */
  readonly by: "share" | "person";
  /** How many messages it is about; 0 while that is not known. */
  readonly messages: number;
  /** Whether the turn has a reply already: the summary then reaches to the head. */
  readonly midTurn: boolean;
  /** The next request where it does not fit into the window without the summary; null: it fits. */
  readonly overflow: Overflow | null;
  /** The model answered with calls alone and is asked once more, without tools. */
  readonly inWords?: true;
  /** Why the model refused the next request as too long; absent when it did not. */
  readonly refused?: TooLong;
}

/** The failure of a request that was too long for its model. */
export type TooLong = Pick<ModelFailure, "class" | "message">;

/** A request that is larger than its model's window, in tokens. */
export interface Overflow {
  readonly tokens: number;
  readonly window: number;
}

/** The progress of the current turn, carried from step to step. */
export interface TurnProgress {
  /** Replies with calls so far. */
  readonly rounds: number;
  readonly asking: Asking;
  /** Why another model than the turn's first one answers; said with its first message. */
  readonly fellBack?: string;
  /** How often the process has stopped since the turn last made progress; absent for never. */
  readonly restarts?: number;
  /** Whether people's messages were taken since the last reply; an empty reply to them is asked for once more. */
  readonly steered?: true;
  /** Set while `asking` is `compaction`. */
  readonly compaction?: Compaction;
  /** A person asked for a compaction before the next request, or when the turn is over. */
  readonly wish?: CompactionWish;
  /** How many compactions of this branch failed in a row; absent for none. */
  readonly failedCompactions?: number;
  /** A compaction has just failed: the next request is made without one. */
  readonly skipsCompaction?: true;
  /** Why the model refused the request as too long: a compaction comes before it is made again. */
  readonly refused?: TooLong;
  /** That compaction was made; a further refusal before the next reply ends the turn. */
  readonly madeRoom?: true;
}

/** The calls of one reply while they are carried out. */
export interface ToolRound {
  /** Calls whose results are not stored yet, in the order of the reply. */
  readonly pending: NonEmptyArray<ToolCall>;
  /** The calls that run, in that order: one, or several with `parallel`. */
  readonly running: readonly ToolCallId[];
  /** Results that wait until those of earlier calls are stored, in the order of the reply. */
  readonly arrived: readonly ToolMessage[];
  /** Calls whose results are stored: the nodes at the head, in order. */
  readonly completed: readonly ToolCallId[];
  /** Whether calls run side by side. A call that needs a person or starts agents waits until it is alone. */
  readonly parallel: boolean;
}

interface UnderWay {
  readonly progress: TurnProgress;
}

/** The state of a run, as `type` says. It is stored after every event. Times are UTC milliseconds. */
export type TurnState =
  | { readonly type: "idle"; readonly failedCompactions?: number }
  /** A message has arrived; the request is being prepared (the founding design's AwaitingLlm). */
  | ({ readonly type: "awaiting" } & UnderWay)
  /** A request is open, or waits for its retry at `retryAt` (UTC milliseconds). */
  | ({
      readonly type: "requesting";
      readonly attempt: number;
      readonly retryAt: number | null;
      readonly lastFailure: string | null;
    } & UnderWay)
  /** At least one call is running. */
  | ({ readonly type: "running-tools" } & ToolRound & UnderWay)
  /** Nothing runs; a person decides whether `request.callId` may run. */
  | ({ readonly type: "awaiting-approval"; readonly request: ApprovalRequest } & ToolRound & UnderWay)
  /**
   * `callId` asks a person, and nothing runs. With an `asker`, the program of that name asks in the midst of the call, which
   * runs on beside those of its round.
   */
  | ({
      readonly type: "awaiting-answer";
      readonly callId: ToolCallId;
      readonly questions: NonEmptyArray<Question>;
      readonly asker?: string;
    } & ToolRound &
      UnderWay)
  /** Nothing runs here; at least one of the agents that `callId` started is still working. */
  | ({
      readonly type: "awaiting-sub-agents";
      readonly callId: ToolCallId;
      readonly agents: NonEmptyArray<SubAgent>;
    } & ToolRound &
      UnderWay)
  /** A person stopped the request of this attempt; its stream is closing. */
  | ({ readonly type: "cancelling"; readonly attempt: number; readonly reason: CancelReason } & UnderWay)
  /** A person stopped the turn while agents worked for it; at least one of them has not ended yet. */
  | ({
      readonly type: "cancelling-sub-agents";
      readonly reason: CancelReason;
      readonly callId: ToolCallId;
      readonly agents: NonEmptyArray<SubAgent>;
    } & ToolRound &
      UnderWay)
  | {
      readonly type: "error";
      readonly kind: ErrorKind;
      readonly detail: FailureClass;
      readonly message: string;
      readonly failedCompactions?: number;
    }
  /**
   * The branch is summarised, because the model's window is full or a person requested it. It can be read, and continued
   * in a
   * new branch that begins with the summary.
   */
  | { readonly type: "context-exhausted"; readonly summary: string }
  /** The permanent end of a sub-agent. */
  | { readonly type: "completed"; readonly result: string; readonly success: boolean; readonly implicit: boolean }
  | { readonly type: "failed"; readonly reason: SubAgentFailure; readonly message: string };

/** The names of the states. */
export type TurnStateType = TurnState["type"];
