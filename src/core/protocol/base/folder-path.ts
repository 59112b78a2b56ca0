import * as v from "valibot";
import { tidyFolderPath } from "../../forest/folder-path.ts";
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
