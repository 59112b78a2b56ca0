import type { NodeId } from "../../../core/base/ids.ts";
import type { ForestNode, ForestRoot } from "../../../core/forest/types.ts";
import type { PaidNode } from "../../../core/model/paid-requests.ts";
import type { Store } from "../../../core/port/store.ts";

/** The messages of an export: where each is, at once, and the messages themselves part by part. */
export interface ExportedNodes {
  /** Oldest first, also where an older message was put below a younger one. */
  readonly places: readonly Pick<ForestNode, "id" | "parentId">[];
  readonly paid: readonly PaidNode[];
  /** Returns the messages with these ids, in this order, without those that are gone. */
  readonly read: (ids: readonly NodeId[]) => Promise<readonly ForestNode[]>;
}

/** Returns all messages of a conversation, which may change while they are read. */
export async function wholeTree(store: Store, { id }: ForestRoot): Promise<ExportedNodes> {
  return { places: await store.outline(id), paid: await store.paidNodes(id), read: (ids) => store.nodesOf(ids) };
}

/** Returns messages that are in memory. */
export function listedNodes(nodes: readonly ForestNode[]): ExportedNodes {
  const nodesById = new Map(nodes.map((node) => [node.id, node]));
  return { places: nodes, paid: nodes, read: async (ids) => ids.flatMap((id) => nodesById.get(id) ?? []) };
}

/** What takes a millisecond or two to read and to write: each step of a key waits for one part at most. */
const nodesAtOnce = 50;

/**
 * Reads messages part by part, in an order that has parents before children. What was deleted meanwhile is left out, and a
 * parent that a message got meanwhile comes before it.
 */
export async function* inParts(
  { read }: ExportedNodes,
  order: ExportedNodes["places"],
): AsyncGenerator<readonly ForestNode[], void, undefined> {
  const known = new Set<NodeId | null>([null]);
  for (let from = 0; from < order.length; from += nodesAtOnce) {
    const part: ForestNode[] = [];
    for (const node of await read(order.slice(from, from + nodesAtOnce).map(({ id }) => id))) {
      for (const each of await untilKnown(read, node, known)) {
        known.add(each.id);
        part.push(each);
      }
    }
    yield part;
  }
}

/** Returns a message and what is above it up to a known one, from above; nothing if it is known, or is gone by now. */
async function untilKnown(
  read: ExportedNodes["read"],
  node: ForestNode,
  known: ReadonlySet<NodeId | null>,
): Promise<readonly ForestNode[]> {
  if (known.has(node.id)) return [];
  const from = [node];
  for (let { parentId } = node; parentId !== null && !known.has(parentId);) {
    const [above] = await read([parentId]);
    if (above === undefined) return [];
    from.unshift(above);
    parentId = above.parentId;
  }
  return from;
}
