import type { BlockId } from "../../../../src/core/base/ids.ts";
import { useLists } from "../../ui/list/use-lists.ts";

/** Returns how canvases are called now; a canvas that is gone has no title. */
export function useCanvasTitles(ids: readonly BlockId[]): { readonly get: (id: BlockId) => string | undefined } {
  const found = useLists(new Map(ids.map((id) => [id, { of: "canvas", id } as const])));
  return { get: (id) => found.get(id)?.entries[0]?.title };
}
