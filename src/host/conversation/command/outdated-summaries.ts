import type { NodeId } from "../../../core/base/ids.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import type { Store } from "../../../core/port/store.ts";

/**
 * Returns the compaction nodes below a node whose text may tell of it, marked as outdated: those that replace it, and all
 * below another compaction node, whose text they were made from. `removed`: the nodes that are
 * deleted; a stretch that ended in one of them ends before the node instead.
 */
export async function outdatedSummaries(
  store: Pick<Store, "subtree" | "path">,
  node: ForestNode,
  removed: ReadonlySet<NodeId>,
): Promise<readonly ForestNode[]> {
  const outdated: ForestNode[] = [];
  for (const below of await store.subtree(node.id)) {
    if (below.compacts === undefined || below.id === node.id || removed.has(below.id)) continue;
    const { through } = below.compacts;
    const ids = (await store.path(below.id)).map(({ id }) => id);
    const isAbove = node.compacts === undefined && ids.indexOf(through ?? node.id) < ids.indexOf(node.id);
    if (through === null || isAbove) continue;
    const end = removed.has(through) ? node.parentId : through;
    outdated.push({ ...below, compacts: { ...below.compacts, through: end, outdated: true } });
  }
  return outdated;
}
