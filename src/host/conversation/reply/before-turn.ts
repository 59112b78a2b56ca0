import type { TurnId } from "../../../core/base/ids.ts";
import type { ForestNode } from "../../../core/forest/types.ts";

/**
 * Returns the nodes of a path up to the first reply of its last turn, or all where that has not replied: what the turn began
 * with. What is said in its midst changes nothing that is settled for a whole turn.
 */
export function beforeTurn(path: readonly ForestNode[], turnId: TurnId): readonly ForestNode[] {
  let reply = path.length;
  for (let index = path.length - 1; index >= 0; index -= 1) {
    const node = path[index];
    // A summary may lie between two replies of a turn.
    if (node?.message.role !== "assistant" || node.compacts !== undefined) continue;
    // Before the first reply is another turn's.
    if (node.turnId !== turnId) break;
    reply = index;
  }
  return reply === path.length ? path : path.slice(0, reply);
}
