import type { NodeId } from "../base/ids.ts";
import type { ForestNode } from "./types.ts";

/**
 * The changes of a tree that a decision leads to, stored in one transaction in this order: added, changed,
 * removed, then the hashes.
 */
export interface ForestChange {
  /** Parents before children. */
  readonly added: readonly ForestNode[];
  /** Existing nodes in their new form, with another message, parent or hash. Parents before children. */
  readonly changed: readonly ForestNode[];
  /** Parents before children. */
  readonly removed: readonly NodeId[];
  /**
   * Changed nodes with a new hash, which changes the hash of everything below them. The store computes those hashes, so
   * that
   * no messages (possibly a hundred thousand) have to be read.
   */
  readonly rehashedBelow: readonly NodeId[];
}

export const noChange: ForestChange = { added: [], changed: [], removed: [], rehashedBelow: [] };

/** The part of the tree around one node that a decision about it needs. */
export interface NodeSurroundings {
  readonly node: ForestNode;
  /** null for a first message. */
  readonly parent: ForestNode | null;
  /** The parent's children; the node itself may be among them. */
  readonly siblings: readonly ForestNode[];
  readonly children: readonly ForestNode[];
}

/** Returns the sibling with this hash: the same message at the same place. */
export function twinOf({ node, siblings }: NodeSurroundings, hash: string): ForestNode | null {
  return siblings.find((each) => each.id !== node.id && each.prefixHash === hash) ?? null;
}
