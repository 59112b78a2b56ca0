import type { NodeId } from "../../core/base/ids.ts";
import type { ForestNode } from "../../core/forest/types.ts";

/** The tree of a view while it is changed in place. */
export interface Tree {
  readonly nodesById: Map<NodeId, ForestNode>;
  readonly childrenByParent: Map<NodeId | null, readonly NodeId[]>;
}

export function copyOf({ nodesById, childrenByParent }: ReadonlyTree): Tree {
  return { nodesById: new Map(nodesById), childrenByParent: new Map(childrenByParent) };
}

/** The tree of a view that others see. */
export interface ReadonlyTree {
  readonly nodesById: ReadonlyMap<NodeId, ForestNode>;
  readonly childrenByParent: ReadonlyMap<NodeId | null, readonly NodeId[]>;
}

/** Adds a node, or moves it below its present parent; siblings stay in the order of creation. */
export function placeNode({ nodesById, childrenByParent }: Tree, node: ForestNode): void {
  const known = nodesById.get(node.id);
  nodesById.set(node.id, node);
  if (known !== undefined && known.parentId === node.parentId) return;
  if (known !== undefined) removeChild(childrenByParent, known);
  const siblings = [...(childrenByParent.get(node.parentId) ?? []), node.id];
  childrenByParent.set(node.parentId, known === undefined ? siblings : inCreationOrder(nodesById, siblings));
}

/** Removes nodes; those that are not here are ignored. */
export function removeNodes({ nodesById, childrenByParent }: Tree, ids: readonly NodeId[]): void {
  for (const id of ids) {
    const node = nodesById.get(id);
    if (node === undefined) continue;
    nodesById.delete(id);
    removeChild(childrenByParent, node);
  }
}

function removeChild(childrenByParent: Map<NodeId | null, readonly NodeId[]>, { id, parentId }: ForestNode): void {
  const left = (childrenByParent.get(parentId) ?? []).filter((other) => other !== id);
  if (left.length === 0) childrenByParent.delete(parentId);
  else childrenByParent.set(parentId, left);
}

function inCreationOrder(nodesById: ReadonlyMap<NodeId, ForestNode>, ids: readonly NodeId[]): readonly NodeId[] {
  const wanted = new Set(ids);
  return [...nodesById.keys()].filter((id) => wanted.has(id));
}
