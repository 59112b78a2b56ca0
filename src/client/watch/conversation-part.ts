import type { NodeId } from "../../core/base/ids.ts";
import type { ForestNode } from "../../core/forest/types.ts";
import type { SegmentFacts } from "../../core/protocol/base/messages.ts";
import type { ConversationPart } from "../base/types.ts";
import type { Tree } from "./tree.ts";

/** A loaded segment: the messages of a path from above, then siblings. */
export interface LoadedSegment extends SegmentFacts {
  readonly seq: number;
  readonly nodes: readonly ForestNode[];
}

/** Returns the part that a first segment makes. */
export function firstPart({ tipId, above, childCounts }: SegmentFacts, nodes: readonly ForestNode[]): ConversationPart {
  const [first] = nodes;
  return {
    tipId,
    aboveById: new Map(first === undefined || above === 0 ? [] : [[first.id, above]]),
    childCounts: new Map(childCounts.map(({ parentId, count }) => [parentId, count])),
  };
}

/** Adds a segment to a tree. A message that is here stays as it is. */
export function withSegmentIn(
  view: { readonly tree: Tree; readonly part: ConversationPart },
  segment: LoadedSegment,
): { readonly tree: Tree; readonly part: ConversationPart } {
  const { tree } = view;
  const added = segment.nodes;
  for (const node of added) if (!tree.nodesById.has(node.id)) tree.nodesById.set(node.id, node);
  orderChildren(tree, added);
  const aboveById = new Map(view.part.aboveById);
  const [first] = segment.nodes;
  if (first !== undefined && segment.above > 0 && !hasParent(tree, first)) aboveById.set(first.id, segment.above);
  for (const id of aboveById.keys()) {
    const node = tree.nodesById.get(id);
    if (node === undefined || hasParent(tree, node)) aboveById.delete(id);
  }
  const childCounts = new Map(view.part.childCounts);
  for (const { id } of segment.nodes) childCounts.delete(id);
  for (const { parentId, count } of segment.childCounts) childCounts.set(parentId, count);
  for (const [parentId, count] of childCounts) {
    if (count <= (tree.childrenByParent.get(parentId)?.length ?? 0)) childCounts.delete(parentId);
  }
  return { tree, part: { ...view.part, aboveById, childCounts } };
}

/** Whether the parent of a message is here; a first message has none to wait for. */
function hasParent({ nodesById }: Tree, { parentId }: ForestNode): boolean {
  return parentId === null || nodesById.has(parentId);
}

/** Places added messages among their siblings, oldest first. */
function orderChildren(tree: Tree, added: readonly ForestNode[]): void {
  for (const [parentId, children] of Map.groupBy(added, (node) => node.parentId)) {
    const known = tree.childrenByParent.get(parentId) ?? [];
    const news = children.map(({ id }) => id).filter((id) => !known.includes(id));
    if (news.length === 0) continue;
    const created = (id: NodeId): number => tree.nodesById.get(id)?.createdAt ?? 0;
    tree.childrenByParent.set(
      parentId,
      [...known, ...news].toSorted((a, b) => created(a) - created(b) || (known.includes(b) ? -1 : 1)),
    );
  }
}
