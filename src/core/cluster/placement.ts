import { sha256Hex } from "../base/hash.ts";

/** Hexadecimal digits of a hash that fit into a double exactly. */
const digits = 13;

/**
 * Returns the nodes by how well a key belongs to each, the best first (rendezvous hashing): every process finds the same
 * order by itself, and a node that comes or goes moves only the keys that are its own.
 */
export function placed(nodeIds: readonly string[], key: string): readonly string[] {
  return nodeIds
    .map((nodeId) => ({ nodeId, weight: weightOf(nodeId, key) }))
    .toSorted((a, b) => b.weight - a.weight || (a.nodeId < b.nodeId ? -1 : 1))
    .map(({ nodeId }) => nodeId);
}

function weightOf(nodeId: string, key: string): number {
  const share = Number.parseInt(sha256Hex(`${nodeId} ${key}`).slice(0, digits), 16) / 16 ** digits;
  return -1 / Math.log(Math.max(share, Number.MIN_VALUE));
}
