import { exportForest, exportJson } from "../../core/forest/export.ts";
import { readableExport } from "../../core/forest/readable.ts";
import type { ForestNode, ForestRoot } from "../../core/forest/types.ts";
import type { Store } from "../../core/port/store.ts";

/** How a conversation is written into a file: to be read by Heddle again, or by people. */
export const exportFormats = ["json", "markdown", "text"] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** All messages of a conversation, parents before children. */
export async function wholeTree(store: Store, root: ForestRoot): Promise<readonly ForestNode[]> {
  const trees: ForestNode[] = [];
  for (const first of await store.children(root.id, null)) trees.push(...(await store.subtree(first.id)));
  return trees;
}

/** A conversation, or the part of it that the nodes are, as the text of a file. */
export async function exportText(
  store: Store,
  root: ForestRoot,
  { nodes, format }: { readonly nodes: readonly ForestNode[]; readonly format: ExportFormat },
): Promise<string> {
  const exported = exportForest({ root, nodes, bookmarks: await store.bookmarks(root.id) });
  return format === "json" ? exportJson(exported) : readableExport(exported, format);
}
