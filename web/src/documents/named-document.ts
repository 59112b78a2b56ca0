import type { BlockId, FolderId } from "../../../src/core/base/ids.ts";

/** A document as it is named to another part of the page: dragged there, or chosen from a list. */
export type NamedDocument =
  | { readonly type: "canvas"; readonly id: BlockId; readonly title: string }
  | { readonly type: "file"; readonly folderId: FolderId; readonly path: string };

/** The type of what is dragged from the tree: a list of documents, JSON. */
export const dragType = "application/x-heddle-documents";
