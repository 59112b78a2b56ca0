import { must } from "../../../core/base/assert.ts";
import type { NodeId, RootId } from "../../../core/base/ids.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import type { Placed } from "./placed.ts";

type PlacedNode = Placed<ForestNode>;

/** The nodes of one root by the keys that queries use; every list is oldest first. */
interface NodesOfRoot {
  readonly all: PlacedNode[];
  readonly byParent: Map<NodeId | null, PlacedNode[]>;
  readonly byHash: Map<string, PlacedNode[]>;
}

/** An index to find nodes without a scan. Derived entirely from the nodes. */
export class ForestIndex {
  readonly #byRoot = new Map<RootId, NodesOfRoot>();

  /** `nodes` come in order of their places. */
  constructor(nodes: Iterable<PlacedNode>) {
    for (const node of nodes) this.add(node);
  }

  add(node: PlacedNode): void {
    const { rootId, parentId, prefixHash } = node.value;
    let nodes = this.#byRoot.get(rootId);
    if (nodes === undefined) {
      nodes = { all: [], byParent: new Map(), byHash: new Map() };
      this.#byRoot.set(rootId, nodes);
    }
    insert(nodes.all, node);
    insert(listOf(nodes.byParent, parentId), node);
    insert(listOf(nodes.byHash, prefixHash), node);
  }

  remove(node: PlacedNode): void {
    const { rootId, parentId, prefixHash } = node.value;
    const nodes = must(this.#byRoot.get(rootId), "a stored node is found by its root");
    take(nodes.all, node);
    takeFrom(nodes.byParent, parentId, node);
    takeFrom(nodes.byHash, prefixHash, node);
  }

  /** Replaces a node in its lists, which is cheaper than removing it from long lists and adding it again. */
  replace(before: PlacedNode, after: PlacedNode): void {
    const nodes = must(this.#byRoot.get(before.value.rootId), "a stored node is found by its root");
    put(nodes.all, after);
    const isMoved = before.value.parentId !== after.value.parentId;
    if (isMoved) takeFrom(nodes.byParent, before.value.parentId, before);
    put(listOf(nodes.byParent, after.value.parentId), after);
    if (before.value.prefixHash !== after.value.prefixHash) takeFrom(nodes.byHash, before.value.prefixHash, before);
    put(listOf(nodes.byHash, after.value.prefixHash), after);
  }

  ofRoot(rootId: RootId): readonly PlacedNode[] {
    return this.#byRoot.get(rootId)?.all ?? [];
  }

  children(rootId: RootId, parentId: NodeId | null): readonly PlacedNode[] {
    return this.#byRoot.get(rootId)?.byParent.get(parentId) ?? [];
  }

  byHash(rootId: RootId, prefixHash: string): PlacedNode | undefined {
    return this.#byRoot.get(rootId)?.byHash.get(prefixHash)?.[0];
  }
}

function listOf<Key>(lists: Map<Key, PlacedNode[]>, key: Key): PlacedNode[] {
  const known = lists.get(key);
  if (known !== undefined) return known;
  const list: PlacedNode[] = [];
  lists.set(key, list);
  return list;
}

function takeFrom<Key>(lists: Map<Key, PlacedNode[]>, key: Key, node: PlacedNode): void {
  const list = must(lists.get(key), "a stored node is in its lists");
  take(list, node);
  if (list.length === 0) lists.delete(key);
}

function insert(list: PlacedNode[], node: PlacedNode): void {
  list.splice(positionOf(list, node.place), 0, node);
}

/** Inserts a node, or replaces its earlier state. */
function put(list: PlacedNode[], node: PlacedNode): void {
  const at = positionOf(list, node.place);
  list.splice(at, list[at]?.place === node.place ? 1 : 0, node);
}

function take(list: PlacedNode[], node: PlacedNode): void {
  list.splice(positionOf(list, node.place), 1);
}

/** The index of the place, or where to insert it, in a list in order of places. */
function positionOf(list: readonly PlacedNode[], place: number): number {
  let low = 0;
  let high = list.length;
  if ((list.at(-1)?.place ?? 0) < place) return high;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle]?.place ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}
