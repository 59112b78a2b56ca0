import type { ForestNode } from "../../../core/forest/types.ts";
import type { Store } from "../../../core/port/store.ts";

/** Messages read at first; results in a row are few. */
const firstRead = 8;

/**
 * Returns the end of a path from its last message that is no result: calls can be open only there. Costs the same at any
 * depth.
 */
export async function endOfPath(
  store: Pick<Store, "pathEnd">,
  node: ForestNode | null,
): Promise<readonly ForestNode[]> {
  if (node === null) return [];
  if (node.message.role !== "tool") return [node];
  for (let limit = firstRead; ; limit *= 4) {
    const end = await store.pathEnd(node.id, limit);
    const from = end.findLastIndex(({ message }) => message.role !== "tool");
    if (from !== -1 || end.length < limit) return end.slice(Math.max(from, 0));
  }
}
