import type { TurnId } from "../../../core/base/ids.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import type { Message } from "../../../core/message/types.ts";

/**
 * Returns the messages of a path up to a turn's first reply: what the turn began with. What is said in its midst changes
 * nothing that is settled for a whole turn.
 */
export function beforeTurn(path: readonly ForestNode[], turnId: TurnId): readonly Message[] {
  const reply = path.findIndex((node) => node.turnId === turnId && node.message.role === "assistant");
  return (reply === -1 ? path : path.slice(0, reply)).map(({ message }) => message);
}
