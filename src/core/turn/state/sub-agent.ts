import type { RootId, RunId } from "../../base/ids.ts";
import type { ErrorKind } from "../../model/failure.ts";

/** Why a sub-agent gave no result. */
export type SubAgentFailure = ErrorKind | "timed-out" | "cancelled" | "context-exhausted" | "turn-limit";

/** How a sub-agent ended. */
export type SubAgentOutcome =
  /** `implicit`: it never submitted a result, so its last words serve as one. */
  | { readonly type: "completed"; readonly result: string; readonly success: boolean; readonly implicit: boolean }
  | { readonly type: "failed"; readonly reason: SubAgentFailure; readonly message: string };

/** An agent that a call started: a run in a conversation of its own. */
export interface SubAgent {
  readonly runId: RunId;
  readonly rootId: RootId;
  readonly task: string;
  /** `provider/model`, when it is not that of the run that started it. */
  readonly model?: string;
  /** When its time is over, in UTC milliseconds. */
  readonly deadlineAt: number;
  /** null while it works. */
  readonly outcome: SubAgentOutcome | null;
}
