import type { ToolFamily } from "../base/family.ts";
import { fileTools } from "./file-tools.ts";
import { think } from "../agent/think.ts";

/** Files of the workspace folder. */
export const fileFamily: ToolFamily = {
  specs: ({ readOnly }) => (readOnly ? fileTools.filter(({ access }) => access === "read") : fileTools),
  shared: [think],
  prompt: ({ kind, readOnly }) => (readOnly ? readOnlyPrompt : kind === "conversation" ? filePrompt : folderPrompt),
  needsFolder: true,
};

const filePrompt = `# Files

There is a workspace folder; paths count from it. Find your way with list_files and keyword_search, read with read_files, change with replace_in_file or patch, make new files with write_file, rename with move_file, delete with delete_file. Lines count from 1, ends included. Read a passage before you change it, and copy it exactly: if the file differs from your copy, nothing is changed and the answer shows the actual text. People may have the same files open and be typing in them, so change only what must change. Each call's changes can be undone.`;

const readOnlyPrompt = `# Files

There is a workspace folder that may only be read; paths count from it. Find your way with list_files and keyword_search, and read with read_files. Lines count from 1, ends included.`;

const folderPrompt = `# Files

There is a workspace folder; paths count from it. Find your way with list_files and keyword_search, read with read_files, and change files with patch: context and deleted lines must match the file exactly; otherwise nothing is changed and the answer shows the actual lines. Others may have the same files open, so change only what must change.`;
