import type { ConversationPart } from "../../../../src/client/base/types.ts";
import type { NodeId } from "../../../../src/core/base/ids.ts";
import { isNonEmpty } from "../../../../src/core/base/non-empty.ts";
import type { ForestNode } from "../../../../src/core/forest/types.ts";
import { isHidden } from "./hidden.ts";

/** The tree of one conversation, as far as choosing a path needs it. */
export interface Branches {
  readonly nodesById: ReadonlyMap<NodeId, ForestNode>;
  readonly childrenByParent: ReadonlyMap<NodeId | null, readonly NodeId[]>;
  /** What is not here of a large conversation; null or absent when all is. */
  readonly part?: ConversationPart | null;
}

/** What a page shows of a conversation, kept between visits. */
export interface Selection {
  /** The last message shown; null shows none. */
  readonly tipId: NodeId | null;
  /** Which child was last on the way, by parent; the first messages' parent is written "". */
  readonly childByParent: Readonly<Record<string, NodeId>>;
}

export const firstVisit: Selection = { tipId: null, childByParent: {} };

/** The messages from the first to `tipId`, both included. */
export function pathTo(branches: Pick<Branches, "nodesById">, tipId: NodeId | null): readonly ForestNode[] {
  const path: ForestNode[] = [];
  let id = tipId;
  while (id !== null) {
    const node = branches.nodesById.get(id);
    if (node === undefined) break;
    path.push(node);
    id = node.parentId;
  }
  return path.reverse();
}

/** Goes down from `from` by the children last visited, else the newest, to a message without children. */
export function leafBelow(branches: Branches, from: NodeId | null, selection: Selection): NodeId | null {
  // The first messages of a part need not be here: it begins with the path it was opened at.
  let id = from ?? branches.part?.tipId ?? null;
  if (id !== null && !branches.nodesById.has(id)) id = from;
  for (;;) {
    const children = branches.childrenByParent.get(id) ?? [];
    if (!isNonEmpty(children)) return id;
    const remembered = selection.childByParent[id ?? ""];
    id = remembered !== undefined && children.includes(remembered) ? remembered : (children.at(-1) ?? children[0]);
  }
}

/** Shows the branch through `nodeId`, down to where it was last left. */
export function goTo(branches: Branches, selection: Selection, nodeId: NodeId): Selection {
  return endAt(branches, selection, leafBelow(branches, nodeId, selection));
}

/** Shows exactly down to `tipId` and remembers the way there. */
export function endAt(branches: Branches, selection: Selection, tipId: NodeId | null): Selection {
  const childByParent = { ...selection.childByParent };
  let changed = tipId !== selection.tipId;
  for (const node of pathTo(branches, tipId)) {
    const parent = node.parentId ?? "";
    if (childByParent[parent] === node.id) continue;
    childByParent[parent] = node.id;
    changed = true;
  }
  return changed ? { tipId, childByParent } : selection;
}

/** The selection whose way goes on from `parentId` to `childId`, once that is there. */
export function withChild({ tipId, childByParent }: Selection, parentId: NodeId | null, childId: NodeId): Selection {
  return { tipId, childByParent: { ...childByParent, [parentId ?? ""]: childId } };
}

/**
 * Returns the selection after the conversation has grown: at the head of the followed run while it writes, otherwise at a
 * leaf, except when several messages have arrived below the last one: the reader chooses between them.
 * `followedHead` is undefined when no run is followed.
 */
export function catchUp(branches: Branches, selection: Selection, followedHead: NodeId | null | undefined): Selection {
  if (followedHead === null) return endAt(branches, selection, null);
  if (followedHead !== undefined && branches.nodesById.has(followedHead))
    return endAt(branches, selection, followedHead);
  const { tipId, childByParent } = selection;
  if (tipId !== null && branches.nodesById.has(tipId)) {
    const below = branches.childrenByParent.get(tipId) ?? [];
    const known = childByParent[tipId];
    if (below.length > 1 && (known === undefined || !below.includes(known))) return endAt(branches, selection, tipId);
  }
  return endAt(branches, selection, leafBelow(branches, remainingTip(branches, selection), selection));
}

/** Returns the shown tip; when it was deleted, the nearest remaining message above it on the remembered path. */
function remainingTip({ nodesById }: Branches, { tipId, childByParent }: Selection): NodeId | null {
  if (tipId === null || nodesById.has(tipId)) return tipId;
  const parentsByChild = new Map(Object.entries(childByParent).map(([parent, child]) => [child, parent]));
  let id: NodeId = tipId;
  while (!nodesById.has(id)) {
    const above = parentsByChild.get(id);
    if (above === undefined || above === "") return null;
    parentsByChild.delete(id);
    id = above as NodeId;
  }
  return id;
}

/** How many messages are above the first one of a path that are not here. */
export function countAbove({ part }: Branches, path: readonly ForestNode[]): number {
  const [first] = path;
  return first === undefined ? 0 : (part?.aboveById.get(first.id) ?? 0);
}

/** The tree with what is above it left out: the topmost messages that are here are its first ones. */
export function fromTopmost(branches: Branches): Branches {
  const { nodesById, childrenByParent, part } = branches;
  if (part === null || part === undefined) return branches;
  const tops = [...(childrenByParent.get(null) ?? []), ...part.aboveById.keys()];
  return { nodesById, childrenByParent: new Map(childrenByParent).set(null, tops), part };
}

/** Whether messages below this one exist that are not here, and none that is. */
export function goesOnElsewhere({ part, childrenByParent }: Branches, nodeId: NodeId | null): boolean {
  if (nodeId === null || part === null || part === undefined) return false;
  return (part.childCounts.get(nodeId) ?? 0) > 0 && (childrenByParent.get(nodeId) ?? []).length === 0;
}

export interface Siblings {
  readonly ids: readonly NodeId[];
  /** How many older ones are not here; absent for none. */
  readonly older?: number;
  /** The message's index among them, from 0. */
  readonly index: number;
}

/** Returns a message's siblings; canvas updates in between are skipped and have no siblings. */
export function siblingsOf(branches: Branches, node: ForestNode): Siblings {
  if (isHidden(node)) return { ids: [node.id], index: 0 };
  let parentId = node.parentId;
  for (
    let above = parentOf(branches, node);
    above !== undefined && isHidden(above);
    above = parentOf(branches, above)
  ) {
    parentId = above.parentId;
  }
  const ids = saidBelow(branches, parentId);
  if (!ids.includes(node.id)) return { ids: [node.id], index: 0 };
  const here = branches.childrenByParent.get(parentId)?.length ?? 0;
  const older = Math.max(0, (branches.part?.childCounts.get(parentId) ?? 0) - here);
  return { ids, index: ids.indexOf(node.id), ...(older === 0 ? {} : { older }) };
}

function parentOf({ nodesById }: Branches, { parentId }: ForestNode): ForestNode | undefined {
  return parentId === null ? undefined : nodesById.get(parentId);
}

/** Returns the next visible messages below a parent, in branch order. */
function saidBelow(branches: Branches, parentId: NodeId | null): readonly NodeId[] {
  const said: NodeId[] = [];
  const waiting = [...(branches.childrenByParent.get(parentId) ?? [])].toReversed();
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const node = branches.nodesById.get(id);
    if (node === undefined || !isHidden(node)) said.push(id);
    else waiting.push(...[...(branches.childrenByParent.get(id) ?? [])].toReversed());
  }
  return said;
}
