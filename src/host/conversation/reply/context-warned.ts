import type { TurnId } from "../../../core/base/ids.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import { toolUses } from "../../../core/message/content.ts";
import { estimateInputTokens } from "../../../core/message/tokens.ts";
import { contextWarning } from "../../../core/turn/state/context.ts";

/**
 * Returns whether people have been notified that a branch is nearly full: the reply that ended the previous turn filled the
 * context that far. `windowOf` returns a model's context in tokens.
 */
export function wasContextWarned(
  path: readonly ForestNode[],
  turnId: TurnId,
  windowOf: (modelId: string) => number | null | undefined,
): boolean {
  const at = path.findLastIndex((node) => node.turnId !== null && node.turnId !== turnId && endsTurn(node));
  const last = path[at];
  const window = windowOf(last?.request?.model ?? "");
  if (last === undefined || window === undefined || window === null) return false;
  const { inputTokens = 0, outputTokens = 0 } = last.usage ?? {};
  // If the server counted no tokens, Heddle estimates them.
  const used =
    inputTokens > 0
      ? inputTokens + outputTokens
      : estimateInputTokens(path.slice(0, at + 1).map((node) => node.message));
  return used / window > contextWarning;
}

function endsTurn({ message }: ForestNode): boolean {
  return message.role === "assistant" && message.interrupted !== true && toolUses(message).length === 0;
}
