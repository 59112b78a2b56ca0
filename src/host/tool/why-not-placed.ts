import type { Refusal } from "../../core/base/errors.ts";
import type { JsonObject } from "../../core/base/json.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import { notByEveryone } from "../access/why-not-allowed.ts";
import type { BlockToolRun } from "./runnable.ts";

type Placing = Pick<BlockToolRun, "reach">;

/** Returns why a call may make no document with these fields: in its folder it may create nothing. */
export function whyNotMadeThere({ folder_path: to }: JsonObject, { reach }: Placing): Refusal | null {
  if (reach?.agent === undefined || typeof to !== "string" || reach.folderPath(to)) return null;
  return notByEveryone("make a document there");
}

/**
 * Returns why a call may not set these fields of a document: where it lies says who may read it, so it is moved by who may do that,
 * to where they may create. Whether it is a file of a folder is not set at all.
 */
export function whyNotMoved(header: BlockHeader, metadata: JsonObject, { reach }: Placing): Refusal | null {
  const agent = reach?.agent;
  if (!reach || agent === undefined || header.kind !== "file") return null;
  const isSet = (name: string): boolean =>
    name in metadata && (metadata[name] ?? null) !== (header.metadata[name] ?? null);
  if (!isSet("path") && !isSet("folder_path")) return null;
  const { folder_path: to } = metadata;
  const mayMove = agent.toDelete.document(header) && reach.folderPath(typeof to === "string" ? to : "");
  return mayMove && !isSet("path") ? null : notByEveryone("move this document");
}
