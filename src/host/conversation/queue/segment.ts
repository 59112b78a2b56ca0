import type { NodeId, RootId } from "../../../core/base/ids.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import type { Store } from "../../../core/port/store.ts";
import type { Segment, SegmentWish } from "../base/types.ts";

type SegmentStore = Pick<
  Store,
  "node" | "nodes" | "nodeCount" | "pathEnd" | "depth" | "leafBelow" | "childCounts" | "childrenBefore"
>;

/** Messages read at once while the bytes of a segment are counted. */
const readAtOnce = 50;
/** Siblings sent of one message, and of all messages of a segment: the newest. */
const siblingsMax = 20;
const allSiblingsMax = 200;
/** A conversation of this many times a segment is sent whole where its bytes allow it. */
const wholeTimes = 2;

/** Returns all messages of a conversation that is small enough for a page; null for others. */
export async function wholeIfSmall(
  store: SegmentStore,
  rootId: RootId,
  { messages, bytes }: SegmentWish,
): Promise<readonly ForestNode[] | null> {
  const whole = messages * wholeTimes;
  if ((await store.nodeCount(rootId, whole + 1)) > whole) return null;
  const nodes = await store.nodes(rootId);
  return nodes.reduce((sum, node) => sum + bytesOf(node), 0) > bytes * wholeTimes ? null : nodes;
}

/**
 * Returns the end of one path: at most so many messages and bytes, at least one message; with the newest siblings of its
 * messages, and how many children there are where not all are sent. A message that is gone counts as none.
 */
export async function segmentOf(store: SegmentStore, rootId: RootId, wish: SegmentWish): Promise<Segment> {
  const found = wish.nodeId === null ? null : await store.node(wish.nodeId);
  const from = found?.rootId === rootId ? found.id : null;
  const tipId = from !== null && wish.end === "here" ? from : await store.leafBelow(rootId, from);
  if (tipId === null) return { tipId, nodes: [], above: 0, childCounts: [] };
  const path = await endWithin(store, tipId, wish);
  const [first] = path;
  const above = first === undefined || first.parentId === null ? 0 : await store.depth(first.id);
  const parentIds = [...(first === undefined ? [] : [first.parentId]), ...path.map(({ id }) => id)];
  const counts = await store.childCounts(rootId, parentIds);
  const siblings: ForestNode[] = [];
  const known = new Set(path.map(({ id }) => id));
  for (const [index, parentId] of parentIds.entries()) {
    // What is below the last message is no part of the path.
    const isLast = index === parentIds.length - 1;
    if (isLast || (counts[index] ?? 0) <= 1 || siblings.length >= allSiblingsMax) continue;
    const newest = await store.childrenBefore({ rootId, parentId, before: null, limit: siblingsMax });
    siblings.push(...newest.filter(({ id }) => !known.has(id)));
  }
  const below = await store.childCounts(
    rootId,
    siblings.map(({ id }) => id),
  );
  const nodes = [...path, ...siblings];
  const sent = Map.groupBy(nodes, ({ parentId }) => parentId);
  const all = [
    ...parentIds.map((parentId, index) => ({ parentId, count: counts[index] ?? 0 })),
    ...siblings.map(({ id }, index) => ({ parentId: id, count: below[index] ?? 0 })),
  ];
  const childCounts = all.filter(({ parentId, count }) => count > (sent.get(parentId)?.length ?? 0));
  return { tipId, nodes, above, childCounts };
}

async function endWithin(
  store: SegmentStore,
  tipId: NodeId,
  { messages, bytes }: SegmentWish,
): Promise<readonly ForestNode[]> {
  const parts: (readonly ForestNode[])[] = [];
  let [left, room] = [messages, bytes];
  for (let next: NodeId | null = tipId; next !== null && left > 0 && room > 0;) {
    const part: readonly ForestNode[] = await store.pathEnd(next, Math.min(left, readAtOnce));
    let from = part.length;
    while (from > 0 && (room > 0 || (parts.length === 0 && from === part.length))) {
      from -= 1;
      const node = part[from];
      if (node !== undefined) room -= bytesOf(node);
    }
    parts.unshift(part.slice(from));
    left -= part.length;
    next = part[0]?.parentId ?? null;
  }
  return parts.flat();
}

function bytesOf(node: ForestNode): number {
  return JSON.stringify(node).length;
}
