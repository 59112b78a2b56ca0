import type { BlockHeader } from "../../core/block/types.ts";

/**
 * Blocks in the order in which they are shown: oldest first, except that one created directly after a sibling stands
 * there. Told by ids alone, so an order never runs out of room between two blocks.
 */
export function orderSiblings(oldestFirst: readonly BlockHeader[]): readonly BlockHeader[] {
  const known = new Set<string>(oldestFirst.map((header) => header.id));
  const followers = new Map<string, BlockHeader[]>();
  const roots: BlockHeader[] = [];
  for (const header of oldestFirst) {
    const after = header.metadata["after"];
    if (typeof after !== "string" || !known.has(after) || after === header.id) {
      roots.push(header);
      continue;
    }
    const list = followers.get(after);
    if (list === undefined) followers.set(after, [header]);
    else list.push(header);
  }
  const ordered: BlockHeader[] = [];
  // The youngest of a block's followers was put directly after it, before the older ones; a stack keeps deep chains cheap.
  const stack = roots.toReversed();
  for (let header = stack.pop(); header !== undefined; header = stack.pop()) {
    ordered.push(header);
    stack.push(...(followers.get(header.id) ?? []));
  }
  return ordered;
}
