import type { BlockHeader } from "../../../core/block/types.ts";

/**
 * Blocks in the order in which they are shown: oldest first, except that one created directly after a sibling stands
 * there. Told by ids alone, so an order never runs out of room between two blocks. Whatever is stored, every block has its
 * place: what says that it stands after anything but an older sibling stands by its age.
 */
export function orderSiblings(oldestFirst: readonly BlockHeader[]): readonly BlockHeader[] {
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
