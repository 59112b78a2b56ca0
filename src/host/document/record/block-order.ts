import type { BlockHeader } from "../../../core/block/types.ts";

/**
 * Returns blocks in display order: oldest first, except that a block created directly after a sibling follows it. The order
 * uses ids alone, so there is always room between two blocks. Every block gets one place, whatever is stored: an `after`
 * that does not name an older sibling is ignored, and the block is ordered by age.
 */
export function orderSiblings(oldestFirst: readonly BlockHeader[]): readonly BlockHeader[] {
  // Files and canvases, of which there are thousands, are ordered by age alone.
  if (oldestFirst.every(({ metadata }) => metadata["after"] === undefined)) return oldestFirst;
  const olderById = new Map<unknown, BlockHeader>();
  const followersById = new Map<string, BlockHeader[]>();
  const roots: BlockHeader[] = [];
  for (const header of oldestFirst) {
    const sibling = olderById.get(header.metadata["after"]);
    olderById.set(header.id, header);
    if (sibling === undefined || sibling.parentId !== header.parentId) {
      roots.push(header);
      continue;
    }
    const followers = followersById.get(sibling.id);
    if (followers === undefined) followersById.set(sibling.id, [header]);
    else followers.push(header);
  }
  const ordered: BlockHeader[] = [];
  // The youngest of a block's followers was put directly after it, before the older ones; a stack keeps deep chains cheap.
  const stack = roots.toReversed();
  for (let header = stack.pop(); header !== undefined; header = stack.pop()) {
    ordered.push(header);
    stack.push(...(followersById.get(header.id) ?? []));
  }
  return ordered;
}
