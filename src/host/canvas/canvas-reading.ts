import { blockPath } from "../../core/block/list-blocks.ts";
import { revisionId } from "../../core/block/revision.ts";
import type { BlockChange } from "../../core/block/types.ts";
import type { BlockReading } from "../document/record/types.ts";

/** Whether a change is to the text, not to status or metadata. */
export function changesText({ body }: BlockChange): boolean {
  return body.type === "text" || body.type === "created";
}

/** Returns the revision id of a canvas reading. */
export function revisionOf({ header, text }: BlockReading): string {
  return revisionId(header.version, text);
}

/** Returns the title of a canvas reading: its own, else its file's path; empty where it has neither. */
export function titleOf({ header }: Pick<BlockReading, "header">): string {
  const { title } = header.metadata;
  return typeof title === "string" && title !== "" ? title : (blockPath(header) ?? "");
}
