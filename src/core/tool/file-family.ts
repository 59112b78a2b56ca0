import type { ToolFamily } from "./family.ts";
import { fileTools } from "./file-tools.ts";
import { think } from "./think.ts";

/** Files of the workspace folder. */
export const fileFamily: ToolFamily = {
  specs: () => fileTools,
  shared: [think],
  prompt: ({ kind }) => (kind === "conversation" ? filePrompt : folderPrompt),
  needsFolder: true,
};

const filePrompt = `# Files

There is a workspace folder; paths count from it. Find your way with keyword_search, read with read_files, change with replace_in_file or patch, and make new files with write_file. Lines count from 1, ends included. Read a passage before you change it, and copy it exactly: if it does not stand there as you gave it, nothing is changed, and the answer shows what stands there. People may have the same files open and be typing in them: change what is to change and leave the rest. What you change can be undone call by call.`;

const folderPrompt = `# Files

There is a workspace folder; paths count from it. Find your way with keyword_search, and change files with patch: context and deleted lines must stand there exactly as you give them, or nothing is changed and the answer shows what stands there. Others may have the same files open: change what is to change and leave the rest.`;
