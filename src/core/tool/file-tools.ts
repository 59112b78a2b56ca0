import * as v from "valibot";
import { documentReach } from "./reach.ts";
import type { ToolSpec } from "./types.ts";

const path = v.pipe(
  v.string(),
  v.nonEmpty(),
  v.maxLength(4_096),
  v.description("The file's path from the workspace folder, as `src/main.ts`."),
  v.transform((given) => given.replace(/^(?:\.\/)+/, "")),
);
const lineNumber = v.pipe(v.number(), v.safeInteger(), v.minValue(1));

export const readFiles = {
  name: "read_files",
  description:
    "Reads text files of the workspace folder, whole or by lines; lines count from 1, ends included. Returns the text of each with `N→` before its lines, and its line_count. What is long is cut off and says so: go on with start_line.",
  input: v.strictObject({
    files: v.pipe(
      v.array(
        v.strictObject({
          path,
          start_line: v.exactOptional(v.pipe(lineNumber, v.description("First line, from 1; default 1."))),
          end_line: v.exactOptional(
            v.pipe(lineNumber, v.description("Last line, included; beyond the end it means the last line.")),
          ),
        }),
      ),
      v.minLength(1),
      v.maxLength(20),
    ),
    line_numbers: v.exactOptional(v.pipe(v.boolean(), v.description("Print `N→` before each line; default true."))),
  }),
  access: "read",
  reach: documentReach,
  idempotent: true,
} as const satisfies ToolSpec;

export const keywordSearch = {
  name: "keyword_search",
  description:
    "Finds the files of the workspace folder in which words stand, those with most of them first, with the lines where they stand, counted from 1. Case does not matter. To find your way in a folder; read what it names with read_files. No match is an empty list.",
  input: v.strictObject({
    keywords: v.pipe(
      v.array(v.pipe(v.string(), v.nonEmpty(), v.maxLength(200))),
      v.minLength(1),
      v.maxLength(10),
      v.description("Words or parts of words, literally; not expressions."),
    ),
    path_prefix: v.exactOptional(v.pipe(v.string(), v.description("Look only at paths that begin so, as `src/`."))),
    max_files: v.exactOptional(
      v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(100), v.description("Default 20.")),
    ),
  }),
  access: "read",
  reach: documentReach,
  idempotent: true,
  forSubAgents: true,
} as const satisfies ToolSpec;

export const writeFile = {
  name: "write_file",
  description:
    "Writes a whole text file of the workspace folder: makes it, with the folders that it needs, or replaces what it says. To change part of a file use replace_in_file or patch, which leave alone what others write there.",
  input: v.strictObject({
    path,
    content: v.pipe(v.string(), v.description("All of the file's text, ending with a newline as files do.")),
  }),
  access: "write",
  reach: documentReach,
  idempotent: false,
} as const satisfies ToolSpec;

export const replaceInFile = {
  name: "replace_in_file",
  description:
    "Replaces passages of one file of the workspace folder. Each search must stand in the file exactly once, copied exactly, without line numbers; take in as many lines around it as make it the only one. All refer to the file as it is before the call; all are made or none. A refusal says where a passage stands, or what stands there instead.",
  input: v.strictObject({
    path,
    replacements: v.pipe(
      v.array(
        v.strictObject({
          search: v.pipe(v.string(), v.nonEmpty(), v.description("The passage as it stands, byte for byte.")),
          replace: v.pipe(v.string(), v.description("What is to stand there; empty takes the passage away.")),
        }),
      ),
      v.minLength(1),
      v.maxLength(200),
    ),
  }),
  access: "write",
  reach: documentReach,
  idempotent: false,
} as const satisfies ToolSpec;

export const patchFiles = {
  name: "patch",
  description:
    "Edits one or several files of the workspace folder by unified diffs. Context and deleted lines must stand in the file exactly; give three context lines around each change. Every hunk of every file is applied or none is; a refusal shows the actual lines. A file that is not there yet is made by a diff of added lines alone.",
  input: v.strictObject({
    files: v.pipe(
      v.array(
        v.strictObject({
          path,
          patch: v.pipe(
            v.string(),
            v.nonEmpty(),
            v.description("Hunks as in `diff -u`: `@@ -12,4 +12,5 @@`, then lines that begin with a space, - or +."),
          ),
        }),
      ),
      v.minLength(1),
      v.maxLength(50),
    ),
  }),
  access: "write",
  reach: documentReach,
  idempotent: false,
  forSubAgents: true,
} as const satisfies ToolSpec;

/** The tools for files of the workspace folder, in the order in which a model is told of them. */
export const fileTools = [
  readFiles,
  keywordSearch,
  replaceInFile,
  patchFiles,
  writeFile,
] as const satisfies readonly ToolSpec[];
