import * as v from "valibot";
import { documentReach } from "../base/reach.ts";
import type { ToolSpec } from "../base/types.ts";

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
    "Reads files of the workspace folder, whole or by lines; lines count from 1, ends included. Returns the text of each with `N→` before its lines, and its line_count. Long text is cut off and marked; continue with start_line. Images (PNG, JPEG, GIF, WebP) and PDFs are shown as such, at most 5 in a call.",
  input: v.strictObject({
    files: v.pipe(
      v.array(
        v.strictObject({
          path,
          start_line: v.exactOptional(v.pipe(lineNumber, v.description("First line, from 1; default 1."))),
          end_line: v.exactOptional(
            v.pipe(lineNumber, v.description("Last line, included; a number beyond the end means the last line.")),
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
  forSubAgents: true,
} as const satisfies ToolSpec;

/** How many files one list_files shows, by default and at most. */
export const listedFilesMax = { usual: 200, max: 1_000 } as const;

export const listFiles = {
  name: "list_files",
  description:
    "Lists the files of the workspace folder by their paths, without those that git ignores. A glob narrows it: `*.md` in any folder, `src/*.ts` in one, `src/**` below it, `{a,b}` for alternatives. Where there are more files than are listed, the answer counts them by folder.",
  input: v.strictObject({
    glob: v.exactOptional(v.pipe(v.string(), v.nonEmpty(), v.description("A pattern for paths; default: every file."))),
    max_files: v.exactOptional(
      v.pipe(
        v.number(),
        v.safeInteger(),
        v.minValue(1),
        v.maxValue(listedFilesMax.max),
        v.description(`Default ${listedFilesMax.usual}.`),
      ),
    ),
  }),
  access: "read",
  reach: documentReach,
  idempotent: true,
  forSubAgents: true,
} as const satisfies ToolSpec;

export const keywordSearch = {
  name: "keyword_search",
  description:
    "Finds the files of the workspace folder that contain the given words, those with most of them first, with the matching lines, counted from 1. Case does not matter. Use it to find your way in a folder, then read the files with read_files. No match returns an empty list.",
  input: v.strictObject({
    keywords: v.pipe(
      v.array(v.pipe(v.string(), v.nonEmpty(), v.maxLength(200))),
      v.minLength(1),
      v.maxLength(10),
      v.description("Words or parts of words, taken literally; not expressions."),
    ),
    path_prefix: v.exactOptional(
      v.pipe(v.string(), v.description("Only paths that begin with this text, such as `src/`.")),
    ),
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
    "Writes a whole text file of the workspace folder: creates it, with its folders, or replaces its text. To change part of a file use replace_in_file or patch, which preserve what others write there.",
  input: v.strictObject({
    path,
    content: v.pipe(v.string(), v.description("All of the file's text, ending with a newline as files do.")),
  }),
  access: "write",
  reach: documentReach,
  idempotent: false,
  inDraft: "held",
  wholeText: "content",
} as const satisfies ToolSpec;

export const replaceInFile = {
  name: "replace_in_file",
  description:
    "Replaces passages of one file of the workspace folder, or whole sections of a Markdown file below their headings. Each search must occur in the file exactly once, copied exactly, without line numbers; include enough lines around it to make it unique. All refer to the file before the call; all are applied or none. A refusal says where a passage occurs, or shows the text at its place.",
  input: v.strictObject({
    path,
    replacements: v.pipe(
      v.array(
        v.strictObject({
          search: v.exactOptional(
            v.pipe(v.string(), v.nonEmpty(), v.description("The current passage, byte for byte.")),
          ),
          section: v.exactOptional(
            v.pipe(
              v.string(),
              v.nonEmpty(),
              v.maxLength(1_000),
              v.description("Instead of search: a Markdown section by title (`Guide > Install`) or number (`2.1`)."),
            ),
          ),
          replace: v.pipe(v.string(), v.description("The new text; empty deletes the passage.")),
        }),
      ),
      v.minLength(1),
      v.maxLength(200),
    ),
  }),
  access: "write",
  reach: documentReach,
  idempotent: false,
  inDraft: "held",
} as const satisfies ToolSpec;

export const patchFiles = {
  name: "patch",
  description:
    "Edits one or several files of the workspace folder by unified diffs. Context and deleted lines must match the file exactly; give three context lines around each change. All hunks of all files apply or none; a refusal shows the actual lines. A diff of only added lines creates a new file.",
  input: v.strictObject({
    files: v.pipe(
      v.array(
        v.strictObject({
          path,
          patch: v.pipe(
            v.string(),
            v.nonEmpty(),
            v.description(
              "Hunks as in `diff -u`: `@@ -12,4 +12,5 @@`, then lines that begin with a space, - or +. Or blocks: `<<<<<<< SEARCH`, the old lines, `=======`, the new lines, `>>>>>>> REPLACE`; the old lines must occur exactly once.",
            ),
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
  inDraft: "held",
  forSubAgents: true,
} as const satisfies ToolSpec;

export const moveFile = {
  name: "move_file",
  description:
    "Renames a file of the workspace folder or moves it, on disk too, creating folders. Never overwrites: a path in use is refused.",
  input: v.strictObject({ path, to: v.pipe(path, v.description("The new path, with the file's name.")) }),
  access: "write",
  reach: documentReach,
  idempotent: false,
  inDraft: "held",
} as const satisfies ToolSpec;

export const deleteFile = {
  name: "delete_file",
  description:
    "Deletes a file of the workspace folder: it leaves the disk and goes to the trash, where people can restore it (for 30 days unless they chose another time), as can block_restore.",
  input: v.strictObject({ path }),
  access: "write",
  reach: documentReach,
  idempotent: false,
  inDraft: "held",
} as const satisfies ToolSpec;

/** The tools for files of the workspace folder, in the order in which a model sees them. */
export const fileTools = [
  listFiles,
  readFiles,
  keywordSearch,
  replaceInFile,
  patchFiles,
  writeFile,
  moveFile,
  deleteFile,
] as const satisfies readonly ToolSpec[];
