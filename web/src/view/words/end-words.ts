import { wasCut, wasFiltered } from "../../../../src/core/forest/cut-reply.ts";
import type { ForestNode } from "../../../../src/core/forest/types.ts";

/** Says why a reply ends before its end; null for one that a model ended itself. */
export function endWords(node: Pick<ForestNode, "request">): string | null {
  if (wasCut(node)) return "Cut off at its token limit.";
  return wasFiltered(node) ? "Stopped by the provider’s content filter." : null;
}
