// `heddle/block`: the block tools' operations on a text, as functions. See docs/library/block.md.

export { diffChanges } from "../core/block/change/diff-changes.ts";
export { createHunkPlacer } from "../core/block/suggestion/hunk-place.ts";
export { planLineEdits } from "../core/block/edit/line-edit.ts";
export type { LineOperation } from "../core/block/edit/line-edit.ts";
export { planPatch } from "../core/block/patch/apply.ts";
export { unifiedDiff } from "../core/block/patch/unified-diff.ts";
export { searchText } from "../core/block/search/search.ts";
export type { SearchQuery } from "../core/block/search/search.ts";
export { planSplice } from "../core/block/edit/splice.ts";
export type { Splice } from "../core/block/edit/splice.ts";
export { applyChanges } from "../core/block/change/text-change.ts";
