import type { NodeId, TurnId } from "../../../src/core/base/ids.ts";
import type { ForestNode } from "../../../src/core/forest/types.ts";
import { isWrittenByHeddle } from "../../../src/core/message/canvas-update.ts";
import { excerpt, wordsOf } from "../view/words/words.ts";

const shownUnitsMax = 160;

/** Returns the words that began an agent's turn, shortened; null where the message is not here. */
export function questionOfTurn(nodesById: ReadonlyMap<NodeId, ForestNode>, turnId: TurnId): string | null {
  for (const { message, turnId: of } of nodesById.values()) {
    if (of !== turnId || message.role !== "user" || isWrittenByHeddle(message)) continue;
    const words = excerpt(wordsOf(message), shownUnitsMax);
    return words === "" ? null : words;
  }
  return null;
}
