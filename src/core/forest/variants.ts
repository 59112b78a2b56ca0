import type { ForestNode, NodeVariant } from "./types.ts";

/** The node with one more completion that said the same, so that n requests with equal answers all leave a trace. */
export function recordVariant(node: ForestNode, variant: NodeVariant): ForestNode {
  return { ...node, variants: [...(node.variants ?? []), variant] };
}

/** How many completions said what the node says, itself counted. */
export function timesSaid(node: ForestNode): number {
  return 1 + (node.variants?.length ?? 0);
}
