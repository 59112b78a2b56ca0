// `heddle/forest`: conversations as trees of messages, and their exports. See docs/library/forest.md.

export { exportForest, exportJson } from "../core/forest/export.ts";
export type { ForestExport } from "../core/forest/portable.ts";
export { prefixHash } from "../core/forest/prefix-hash.ts";
export { readExport } from "../core/forest/read-export.ts";
export { readableExport } from "../core/forest/readable.ts";
export type { Bookmark, ForestNode, ForestRoot } from "../core/forest/types.ts";
