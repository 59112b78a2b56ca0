/** A message's place in its tree. */
interface Placed {
  readonly id: string;
  readonly parentId: string | null;
}

/** How many messages are put in order before others have their turn. */
const placedAtOnce = 5_000;

/**
 * Puts messages in order, each branch to its end before the next. A message whose parent is not among them begins a tree. An
 * empty text is work done.
 */
export function* branchByBranch<Node extends Placed>(
  nodes: readonly Node[],
): Generator<string, readonly Node[], undefined> {
  const childrenById = yield* byParent(nodes);
  const ordered: Node[] = [];
  const waiting = (childrenById.get(null) ?? []).toReversed();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    ordered.push(node);
    for (const child of (childrenById.get(node.id) ?? []).toReversed()) waiting.push(child);
    if (ordered.length % placedAtOnce === 0) yield "";
  }
  return ordered;
}

/** Puts messages in order, tree after tree, each level of a tree in the order in which it was given. */
export function* levelByLevel<Node extends Placed>(
  nodes: readonly Node[],
): Generator<string, readonly Node[], undefined> {
  const childrenById = yield* byParent(nodes);
  const placesById = new Map(nodes.map(({ id }, place) => [id, place]));
  const ordered: Node[] = [];
  for (const first of childrenById.get(null) ?? []) {
    for (let level: readonly Node[] = [first]; level.length > 0;) {
      for (const node of level) {
        ordered.push(node);
        if (ordered.length % placedAtOnce === 0) yield "";
      }
      const below = level.flatMap(({ id }) => childrenById.get(id) ?? []);
      level =
        level.length === 1
          ? below
          : below.toSorted((a, b) => (placesById.get(a.id) ?? 0) - (placesById.get(b.id) ?? 0));
    }
  }
  return ordered;
}

function* byParent<Node extends Placed>(
  nodes: readonly Node[],
): Generator<string, ReadonlyMap<string | null, readonly Node[]>, undefined> {
  const known = new Set<string>();
  for (const [index, { id }] of nodes.entries()) {
    known.add(id);
    if (index % placedAtOnce === placedAtOnce - 1) yield "";
  }
  const childrenById = new Map<string | null, Node[]>();
  for (const [index, node] of nodes.entries()) {
    const above = node.parentId !== null && known.has(node.parentId) ? node.parentId : null;
    const siblings = childrenById.get(above);
    if (siblings === undefined) childrenById.set(above, [node]);
    else siblings.push(node);
    if (index % placedAtOnce === placedAtOnce - 1) yield "";
  }
  return childrenById;
}
