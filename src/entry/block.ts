// `heddle/block`: what the block tools do to a text, as functions. See docs/library/block.md.

export { diffChanges } from "../core/block/diff-changes.ts";
export { createHunkPlacer } from "../core/block/hunk-place.ts";
export { planLineEdits } from "../core/block/line-edit.ts";
export type { LineOperation } from "../core/block/line-edit.ts";
export { planPatch } from "../core/block/patch/apply.ts";
export { unifiedDiff } from "../core/block/patch/unified-diff.ts";
export { searchText } from "../core/block/search.ts";
export type { SearchQuery } from "../core/block/search.ts";
export { planSplice } from "../core/block/splice.ts";
export type { Splice } from "../core/block/splice.ts";
export { applyChanges } from "../core/block/text-change.ts";
