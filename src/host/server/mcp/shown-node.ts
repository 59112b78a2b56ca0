import type { JsonObject } from "../../../core/base/json.ts";
import { beginningOf } from "../../../core/base/shortened.ts";
import type { ForestNode } from "../../../core/forest/types.ts";

/** Characters of a path, and of one message, in one answer. */
export const pathUnitsMax = 100_000;

/** Returns a message as outside programs read it. */
export function shownNode({ id, parentId, message, actor, createdAt, excluded }: ForestNode): JsonObject {
  const json = JSON.stringify(message.content);
  const isLong = json.length > pathUnitsMax;
  return {
    node_id: id,
    parent_id: parentId,
    role: message.role,
    content: isLong ? [{ type: "text", text: `${beginningOf(json, pathUnitsMax)}…` }] : JSON.parse(json),
    by: actor.name,
    at: createdAt,
    ...(isLong ? { truncated: true } : {}),
    ...(excluded === true ? { excluded } : {}),
  };
}
