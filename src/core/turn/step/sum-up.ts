import type { SavedEffect } from "../event/effect.ts";
import type { TurnContext } from "../state/context.ts";
import type { ToolCall, TurnProgress } from "../state/state.ts";
import { instruct, summaryText } from "./instruct.ts";
import { finish, step, type TurnStep } from "./step.ts";

/** Handles a context that nothing makes room in: `saved` answers every call; only a summary may follow. */
export function sumUp(
  { progress, context }: { readonly progress: TurnProgress; readonly context: TurnContext },
  calls: readonly ToolCall[],
  saved: readonly SavedEffect[],
): TurnStep {
  if (context.kind === "sub-agent") {
    const message = "The agent's context was full before it had a result.";
    return finish({ type: "failed", reason: "context-exhausted", message }, saved);
  }
  const wish = instruct("summary", summaryText(calls.map(({ name }) => name)));
  return step(
    { type: "awaiting", progress: { rounds: progress.rounds, asking: "summary" } },
    [...saved, wish],
    [{ type: "prepare-request" }],
  );
}
