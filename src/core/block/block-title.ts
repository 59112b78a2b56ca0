import { blockPath } from "./list-blocks.ts";
import type { BlockHeader } from "./types.ts";

/** A block's title for people: its own, else its file's path. */
export function blockTitle(header: BlockHeader): string {
  const { title } = header.metadata;
  return typeof title === "string" && title !== "" ? title : (blockPath(header) ?? "Untitled");
}
