import { modelBlockTools } from "./model-block-tools.ts";
import type { ToolFamily } from "../base/family.ts";

/** Documents and parts of conversations, by block id. */
export const blockFamily: ToolFamily = {
  specs: () => modelBlockTools,
  prompt: ({ kind }) => (kind === "conversation" ? blockPrompt : null),
  needsFolder: false,
};

const blockPrompt = `# Blocks

Documents and parts of conversations are blocks, addressed by block_id. Find them with block_list or kernel_search, read with block_read or block_search, then edit lines with block_edit, or several places at once with block_apply_patch. Lines count from 1, ends included. All operations of one block_edit refer to the text before it; address lines by anchor (\`N:hash\`, from block_read with anchors), so that nothing is overwritten unseen and nothing is retyped. If an edit is refused, nothing was changed: read what the answer says and send it again. block_undo takes back your own last edit.`;
