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

/** Returns the title of a canvas reading; empty where it has none. */
export function titleOf({ header }: BlockReading): string {
  const { title } = header.metadata;
  return typeof title === "string" ? title : "";
}
