import type { NodeId } from "../../../../src/core/base/ids.ts";
import type { Branches } from "./path.ts";

/** Where the threads of a forest run, in units: along is the depth, across the place among the leaves. */
export interface ThreadLayout {
  /** One a chain without forks; the trunk first, each after the one it leaves. */
  readonly strands: readonly Strand[];
  readonly depthMax: number;
  readonly leafCount: number;
}

export interface Strand {
  /** The chain's first and last message. */
  readonly firstId: NodeId;
  readonly endId: NodeId;
  /** Index of the strand it leaves; -1 at the beginning. */
  readonly from: number;
  readonly fromDepth: number;
  readonly toDepth: number;
  /** The middle of the leaves below, from 0. */
  readonly across: number;
  /** How many leaves hang below: how thick the bundle is. */
  readonly leaves: number;
}

/** Lays out a tree as bundles of threads, one thread a leaf, in the order of the branches. Linear in the messages. */
export function layThreads(branches: Pick<Branches, "childrenByParent">): ThreadLayout {
  interface Open {
    firstId: NodeId;
    endId: NodeId;
    from: number;
    fromDepth: number;
    toDepth: number;
    children: number[];
    leaves: number;
    across: number;
  }
  const strands: Open[] = [];
  const waiting: { readonly id: NodeId; readonly from: number; readonly depth: number }[] = [];
  const push = (ids: readonly NodeId[], from: number, depth: number): void => {
    for (const id of ids.toReversed()) waiting.push({ id, from, depth });
  };
  push(branches.childrenByParent.get(null) ?? [], -1, 0);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    let endId = next.id;
    let depth = next.depth + 1;
    let children = branches.childrenByParent.get(endId) ?? [];
    for (let only = children[0]; children.length === 1 && only !== undefined; only = children[0]) {
      endId = only;
      depth += 1;
      children = branches.childrenByParent.get(endId) ?? [];
    }
    const index = strands.length;
    strands.push({
      firstId: next.id,
      endId,
      from: next.from,
      fromDepth: next.depth,
      toDepth: depth,
      children: [],
      leaves: 0,
      across: 0,
    });
    strands[next.from]?.children.push(index);
    push(children, index, depth);
  }
  // Strands come before those that leave them, so one backward pass sees every child first; leaves are numbered
  // from the last.
  const leafCount = strands.filter((strand) => strand.children.length === 0).length;
  let leaf = leafCount;
  for (const strand of strands.toReversed()) {
    if (strand.children.length === 0) {
      leaf -= 1;
      strand.leaves = 1;
      strand.across = leaf;
      continue;
    }
    const places = strand.children.map((child) => strands[child]?.across ?? 0);
    strand.leaves = strand.children.reduce((sum, child) => sum + (strands[child]?.leaves ?? 0), 0);
    strand.across = (Math.min(...places) + Math.max(...places)) / 2;
  }
  return {
    strands,
    depthMax: strands.reduce((deepest, strand) => Math.max(deepest, strand.toDepth), 1),
    leafCount: Math.max(1, leafCount),
  };
}
