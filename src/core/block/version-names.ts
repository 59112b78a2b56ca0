import { isJsonObject, type JsonObject } from "../base/json.ts";
import type { BlockHeader } from "./types.ts";

/** The field of a canvas's metadata that holds the names of its revisions, by revision id. */
const field = "version_names";

/** Returns the names that people gave to revisions of a canvas, by revision id, the oldest name first. */
export function versionNames({ metadata }: Pick<BlockHeader, "metadata">): ReadonlyMap<string, string> {
  const names = metadata[field];
  if (!isJsonObject(names)) return new Map();
  return new Map(
    Object.entries(names).filter((entry): entry is [string, string] => typeof entry[1] === "string" && entry[1] !== ""),
  );
}

/** Returns the metadata to set so that a revision has this name; an empty name removes the one it has. */
export function withVersionName(header: Pick<BlockHeader, "metadata">, revisionId: string, name: string): JsonObject {
  const names = new Map(versionNames(header));
  if (name === "") names.delete(revisionId);
  else names.set(revisionId, name);
  return { [field]: names.size === 0 ? null : Object.fromEntries(names) };
}
