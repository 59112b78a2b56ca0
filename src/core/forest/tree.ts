import type { NodeId } from "../base/ids.ts";
import type { ForestNode } from "./types.ts";

/** The nodes of one root, found by what a view asks for. */
export interface Tree {
  readonly nodesById: ReadonlyMap<NodeId, ForestNode>;
  /** Children in order of creation; the key null holds the first messages. */
  readonly childrenByParent: ReadonlyMap<NodeId | null, readonly ForestNode[]>;
}

/** Where a node stands among the children of its parent; `index` counts from 0. */
export interface SiblingPlace {
  readonly siblings: readonly ForestNode[];
  readonly index: number;
}

/** Indexes nodes given oldest first. */
export function treeOf(nodes: readonly ForestNode[]): Tree {
  const nodesById = new Map<NodeId, ForestNode>();
  const childrenByParent = new Map<NodeId | null, ForestNode[]>();
  for (const node of nodes) {
    nodesById.set(node.id, node);
    const children = childrenByParent.get(node.parentId);
    if (children === undefined) childrenByParent.set(node.parentId, [node]);
    else children.push(node);
  }
  return { nodesById, childrenByParent };
}

export function siblingsOf(tree: Tree, node: ForestNode): SiblingPlace {
  const siblings = tree.childrenByParent.get(node.parentId) ?? [];
  return { siblings, index: siblings.findIndex((sibling) => sibling.id === node.id) };
}

/** From the first message down to a node; empty for null. A node that is not there ends the path above it. */
export function pathTo(tree: Tree, nodeId: NodeId | null): readonly ForestNode[] {
  const path: ForestNode[] = [];
  for (let id = nodeId; id !== null;) {
    const node = tree.nodesById.get(id);
    if (node === undefined) break;
    path.push(node);
    id = node.parentId;
  }
  return path.toReversed();
}

/** The end of the newest branch below a node: at each step the child created last. The node itself when nothing is below. */
export function newestLeaf(tree: Tree, nodeId: NodeId | null): NodeId | null {
  let leaf = nodeId;
  for (let child = tree.childrenByParent.get(leaf)?.at(-1); child !== undefined;) {
    leaf = child.id;
    child = tree.childrenByParent.get(leaf)?.at(-1);
  }
  return leaf;
}
