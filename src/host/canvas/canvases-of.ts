import type { BlockId, LeaseId } from "../../core/base/ids.ts";
import type { ForestNode } from "../../core/forest/types.ts";
import { toolUses } from "../../core/message/content.ts";

/**
 * Returns the canvases that messages are about: the conversation's, and those that their calls and their seen canvases name.
 * A call may name a lease instead, whose canvas `leased` knows while the turn lasts.
 */
export function canvasesOf(
  nodes: readonly ForestNode[],
  own: BlockId | null,
  leased: (leaseId: LeaseId) => BlockId | undefined = () => undefined,
): ReadonlySet<BlockId> {
  const ids = new Set<BlockId>(own === null ? [] : [own]);
  for (const { canvas, message } of nodes) {
    if (canvas !== undefined) ids.add(canvas.canvasId);
    if (message.role !== "assistant") continue;
    for (const { parameters } of toolUses(message)) {
      const { canvas_id: named, lease_id: lease } = parameters;
      const id =
        typeof named === "string"
          ? (named as BlockId)
          : typeof lease === "string"
            ? leased(lease as LeaseId)
            : undefined;
      if (id !== undefined) ids.add(id);
    }
  }
  return ids;
}
