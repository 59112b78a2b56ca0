import type { BlockId } from "../../../../src/core/base/ids.ts";
import type { List } from "../../../../src/core/forest/list.ts";
import type { ForestNode } from "../../../../src/core/forest/types.ts";
import { useLists } from "../../ui/list/use-lists.ts";
import type { CanvasTitles } from "../../view/branches/hidden.ts";

/** Returns how the canvases are called now that canvas updates are about. */
export function useCanvasTitles(nodes: readonly Pick<ForestNode, "message">[]): CanvasTitles {
  const wanted = new Map<BlockId, Extract<List, { readonly of: "canvas" }>>();
  for (const { message } of nodes) {
    const id = message.role === "user" ? message.update?.canvasId : undefined;
    if (id !== undefined) wanted.set(id, { of: "canvas", id });
  }
  const found = useLists(wanted);
  return { get: (id) => found.get(id)?.entries[0]?.title };
}
