import type { NodeId } from "../base/ids.ts";
import type { ForestNode, NodeOutline } from "./types.ts";

/** Returns a node as the map shows it: its place, without its content. */
export function outlineOf({ id, rootId, parentId, message, createdAt }: ForestNode): NodeOutline {
  return { id, rootId, parentId, role: message.role, createdAt };
}

/** An outline with the ids of its children, as a graph needs it. */
export interface LinkedOutline extends NodeOutline {
  /** In the order given. */
  readonly childIds: readonly NodeId[];
}

/** Adds the ids of each node's children, so that a map can be drawn from either end. */
export function linkOutlines(outlines: readonly NodeOutline[]): readonly LinkedOutline[] {
  const childIdsById = new Map<NodeId, NodeId[]>(outlines.map(({ id }) => [id, []]));
  for (const { id, parentId } of outlines) if (parentId !== null) childIdsById.get(parentId)?.push(id);
  return outlines.map((outline) => ({ ...outline, childIds: childIdsById.get(outline.id) ?? [] }));
}
