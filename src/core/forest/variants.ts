import type { ForestNode, NodeVariant } from "./types.ts";

/** Returns the node with one more equal completion, so that n requests with equal answers all leave a record. */
export function recordVariant(node: ForestNode, variant: NodeVariant): ForestNode {
  return { ...node, variants: [...(node.variants ?? []), variant] };
}

/** Returns how many completions said what the node says, including its own. */
export function timesSaid(node: ForestNode): number {
  return 1 + (node.variants?.length ?? 0);
}
