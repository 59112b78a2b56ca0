import type { NodeId } from "../base/ids.ts";
import type { ForestNode } from "./types.ts";

/**
 * What a decision about a tree comes to, to be stored in one transaction, in this order: what is added, then what
 * changes, then what goes, then the hashes.
 */
export interface ForestChange {
  /** Parents before children. */
  readonly added: readonly ForestNode[];
  /** Nodes that stand already, whole, as they are from now on: another message, parent or hash. Parents before children. */
  readonly changed: readonly ForestNode[];
  /** Parents before children. */
  readonly removed: readonly NodeId[];
  /**
   * Changed nodes whose hash is another one, so that everything below them gets another one too. The store gives it,
   * because a hundred thousand messages need not be read for that.
   */
  readonly rehashedBelow: readonly NodeId[];
}

export const noChange: ForestChange = { added: [], changed: [], removed: [], rehashedBelow: [] };

/** What a decision about one node must know of the tree around it. */
export interface NodeSurroundings {
  readonly node: ForestNode;
  /** null for a first message. */
  readonly parent: ForestNode | null;
  /** The parent's children; the node itself may be among them. */
  readonly siblings: readonly ForestNode[];
  readonly children: readonly ForestNode[];
}

/** The sibling that has this hash: the same message at the same place. */
export function twinOf({ node, siblings }: NodeSurroundings, hash: string): ForestNode | null {
  return siblings.find((each) => each.id !== node.id && each.prefixHash === hash) ?? null;
}
