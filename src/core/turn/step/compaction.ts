import { errorTable, refusal } from "../../base/errors.ts";
import { stableDeepEqual } from "../../base/json.ts";
import { errorKind } from "../../model/failure.ts";
import type { SavedEffect } from "../event/effect.ts";
import type { TurnContext } from "../state/context.ts";
import type { Compaction, CompactionWish, Overflow, TooLong, TurnProgress, TurnState } from "../state/state.ts";
import { absorb, finish, refuse, step, type EventOf, type StateOf, type TurnStep, type Verdict } from "./step.ts";
import { sentence } from "./sentence.ts";
import { sumUp } from "./sum-up.ts";

/** The states in which a person's wish waits for the next request. */
type Working = StateOf<
  "awaiting" | "requesting" | "running-tools" | "awaiting-approval" | "awaiting-answer" | "awaiting-sub-agents"
>;

/** Begins a compaction that a person asked for while nothing was under way. */
export function compactAtRest(wish: CompactionWish): TurnStep {
  return step({ type: "awaiting", progress: atRest(wish) }, [], [{ type: "prepare-request" }]);
}

/** Notes that a person asks for a compaction before the next request. */
export function noteWish(state: Working, { wish }: EventOf<"compaction-requested">): Verdict {
  const { progress } = state;
  switch (progress.asking) {
    case "reply":
    case "last-words":
    case "submission": {
      const { failedCompactions: _failed, ...rest } = progress;
      const next = { ...state, progress: { ...rest, wish } };
      return stableDeepEqual(next, state) ? absorb() : step(next);
    }
    case "compaction":
      return absorb();
    case "summary":
    case "wished-summary":
      return refuse(refusal("AGENT_BUSY"));
  }
}

/** Asks for the summary instead of the request that was being prepared. */
export function beginCompaction(progress: TurnProgress, event: EventOf<"compaction-due">): Verdict {
  const { by, messages, midTurn, overflow } = event;
  const { wish, refused, skipsCompaction: _skips, asking, ...rest } = progress;
  if (asking === "summary" || asking === "wished-summary") return absorb();
  const before = progress.compaction ?? { ...wish, next: asking === "compaction" ? null : asking };
  const why = refused === undefined ? {} : { refused };
  return request({ ...rest, asking: "compaction", compaction: { ...before, ...why, by, messages, midTurn, overflow } });
}

/** Returns the step after a whole summary: the compaction node, then the request that waits for it. */
export function takeCompaction(progress: TurnProgress, event: EventOf<"compaction-finished">): TurnStep {
  const { message, compacts, canvas, usage } = event;
  const saved = [{ type: "save-compaction", message, compacts, canvas, usage } as const];
  const { next: asking = null, refused } = progress.compaction ?? {};
  if (asking === null) return finish({ type: "idle" }, saved);
  const madeRoom = refused === undefined ? {} : ({ madeRoom: true } as const);
  return step({ type: "awaiting", progress: { rounds: progress.rounds, asking, ...madeRoom } }, saved, [
    { type: "prepare-request" },
  ]);
}

/** Returns the step after a reply that is no summary. Calls alone are answered by asking once more, without tools. */
export function takeDiscarded(
  progress: TurnProgress,
  { reason, usage }: Pick<EventOf<"compaction-discarded">, "reason" | "usage">,
  context: TurnContext,
): TurnStep {
  const saved = [{ type: "count-usage", usage } as const];
  const { compaction } = progress;
  if (reason === "no-words" && compaction !== undefined && compaction.inWords !== true) {
    return request({ ...progress, compaction: { ...compaction, inWords: true } }, saved);
  }
  return failCompaction(progress, discardedBecause[reason], { context, saved });
}

const discardedBecause = {
  "no-words": "The model wrote no summary.",
  "not-smaller": errorTable.COMPACTION_NOT_SMALLER.sentence,
} as const;

/**
 * Returns the step after a compaction that failed for good. Where the next request fits, the turn goes on with the whole
 * history; else it ends: at its start the branch stays open, in its midst it is summarised for a new branch.
 */
export function failCompaction(
  progress: TurnProgress,
  problem: string,
  { context, saved = [] }: { readonly context: TurnContext; readonly saved?: readonly SavedEffect[] },
): TurnStep {
  const failedCompactions = (progress.failedCompactions ?? 0) + 1;
  const { next: asking = null, overflow = null, midTurn = false, refused } = progress.compaction ?? {};
  const told = (after: string): readonly SavedEffect[] => [
    ...saved,
    { type: "notify", notice: `Earlier messages were not summed up. ${sentence(problem)} ${after}`.trim() },
  ];
  if (asking === null) return finish({ type: "idle", failedCompactions }, told("Nothing was changed."));
  const next = { rounds: progress.rounds, asking, failedCompactions } as const;
  if (overflow === null) {
    const state: TurnState = { type: "awaiting", progress: { ...next, skipsCompaction: true } };
    return step(state, told("The turn continues with all of them."), [{ type: "prepare-request" }]);
  }
  if (midTurn || context.kind === "sub-agent") return sumUp({ progress: next, context }, [], told(""));
  const full =
    refused === undefined ? fullState(overflow, failedCompactions) : refusedState(refused, failedCompactions);
  return finish(full, told("The whole branch does not fit."));
}

/** The end of a turn whose first request the model refused as too long: the branch stays open. */
function refusedState({ class: detail, message }: TooLong, failedCompactions: number): StateOf<"error"> {
  return { type: "error", kind: errorKind(detail), detail, message, failedCompactions };
}

/** The end of a turn whose first request does not fit: the branch stays open. */
function fullState({ tokens, window }: Overflow, failedCompactions: number): StateOf<"error"> {
  const message = `The request has about ${tokens} tokens, ${Math.max(0, tokens - window)} more than the model's window of ${window} leaves. Nothing was lost. Leave messages out, sum the branch up, or choose a model with a larger window.`;
  return { type: "error", kind: errorKind("context-full"), detail: "context-full", message, failedCompactions };
}

/** Returns the progress of a compaction at rest, which a turn that ends with a wish begins too. */
export function atRest(wish: CompactionWish): TurnProgress {
  const compaction: Compaction = {
    ...wish,
    next: null,
    by: "person",
    messages: 0,
    midTurn: false,
    overflow: null,
  };
  return { rounds: 0, asking: "compaction", compaction };
}

function request(progress: TurnProgress, saved: readonly SavedEffect[] = []): TurnStep {
  return step({ type: "requesting", attempt: 1, retryAt: null, lastFailure: null, progress }, saved, [
    { type: "request-model", attempt: 1, asking: "compaction" },
  ]);
}
