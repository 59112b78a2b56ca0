import * as v from "valibot";
import { folderPathUnitsMax } from "./limits.ts";
import { wholeCharacters } from "./parts.ts";

/** The place of a canvas among the documents: folder names joined by `/`; empty at the top. */
export const folderPath = v.pipe(
  v.string(),
  v.maxLength(folderPathUnitsMax),
  wholeCharacters,
  v.check((path) => path === tidyFolderPath(path), "names joined by /, none of them blank, . or .."),
  v.description("Document folder: names joined by `/`; empty at the top."),
  v.examples(["Plans/2026"]),
);

/** Returns what was typed as a folder path: names without spaces around them, and no empty ones. */
export function tidyFolderPath(typed: string): string {
  return typed
    .split("/")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "." && name !== "..")
    .join("/");
}
