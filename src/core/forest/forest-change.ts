import { must } from "../base/assert.ts";
import type { NodeId } from "../base/ids.ts";
import { prefixHash } from "./prefix-hash.ts";
import type { ForestNode } from "./types.ts";

/**
 * What a decision about a tree comes to, to be stored in one transaction, in this order: what is added, then what
 * changes, then what goes.
 */
export interface ForestChange {
  /** Parents before children. */
  readonly added: readonly ForestNode[];
  /** Nodes that stand already, whole, as they are from now on: another message, parent or hash. Parents before children. */
  readonly changed: readonly ForestNode[];
  /** Parents before children. */
  readonly removed: readonly NodeId[];
}

export const noChange: ForestChange = { added: [], changed: [], removed: [] };

/**
 * The nodes among `below` whose hash is another one now that what is above them has changed, with the new hash. `below`
 * has parents before children; `hashesById` has the hashes of the parents that are not among them.
 */
export function rehash(below: readonly ForestNode[], hashesById: ReadonlyMap<NodeId, string>): readonly ForestNode[] {
  const hashes = new Map(hashesById);
  return below.flatMap((node) => {
    const above = node.parentId === null ? null : must(hashes.get(node.parentId), "parents come before children");
    const hash = prefixHash(above, node.message);
    hashes.set(node.id, hash);
    return hash === node.prefixHash ? [] : [{ ...node, prefixHash: hash }];
  });
}

/** What a decision about one node must know of the tree around it. */
export interface NodeSurroundings {
  readonly node: ForestNode;
  /** null for a first message. */
  readonly parent: ForestNode | null;
  /** The parent's children; the node itself may be among them. */
  readonly siblings: readonly ForestNode[];
  /** Everything below the node, parents before children. */
  readonly below: readonly ForestNode[];
}

/** The sibling that has this hash: the same message at the same place. */
export function twinOf({ node, siblings }: NodeSurroundings, hash: string): ForestNode | null {
  return siblings.find((each) => each.id !== node.id && each.prefixHash === hash) ?? null;
}
