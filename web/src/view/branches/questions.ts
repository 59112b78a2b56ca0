import type { NodeId } from "../../../../src/core/base/ids.ts";
import type { ForestNode } from "../../../../src/core/forest/types.ts";
import { isHidden } from "./hidden.ts";

/** The question that a message answers: itself, or the nearest question above it. */
export function questionAbove(path: readonly ForestNode[], nodeId: NodeId): ForestNode | null {
  const at = path.findIndex((node) => node.id === nodeId);
  for (let index = at; index >= 0; index -= 1) {
    const node = path[index];
    if (node?.message.role === "user" && !isHidden(node)) return node;
  }
  return null;
}

/** Whether a model could be asked right here: a person said this, or a tool. */
export function isUnanswered(node: ForestNode): boolean {
  const { role } = node.message;
  return role === "tool" || (role === "user" && !isHidden(node));
}
