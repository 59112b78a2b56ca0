import { revisionId } from "../../core/block/revision.ts";
import type { BlockChange } from "../../core/block/types.ts";
import type { BlockReading } from "../document/record/types.ts";

/** Whether a change is one of the text, not of status or metadata. */
export function changesText({ what }: BlockChange): boolean {
  return what.type === "text" || what.type === "created";
}

/** The revision id of a canvas as it was read. */
export function revisionOf({ header, text }: BlockReading): string {
  return revisionId(header.version, text);
}

/** The title of a canvas as it was read; empty where it has none. */
export function titleOf({ header }: BlockReading): string {
  const { title } = header.metadata;
  return typeof title === "string" ? title : "";
}
