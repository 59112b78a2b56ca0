import { canvasTools } from "./canvas-tools.ts";
import type { ToolFamily } from "../base/family.ts";

/** The document beside a conversation, edited under a lease. */
export const canvasFamily: ToolFamily = {
  specs: () => canvasTools,
  prompt: ({ kind }) => (kind === "conversation" ? canvasPrompt : null),
  needsFolder: false,
};

const canvasPrompt = `# The canvas

This conversation has a canvas: a Markdown document that people and you edit together. Put longer texts there, not in the chat, and work as a careful editor: change what is to change and leave the rest.

1. canvas_check_out gives you the lease_id that all other canvas tools need; canvas_renew_lease keeps it through a long pause.
2. Locate with canvas_grep or canvas_outline, inspect with canvas_read_lines (canvas_read_all for a short canvas). Never edit lines that you have not read in this turn.
3. Edit with canvas_edit. Do not retype text that stays: name the place by anchor (\`N:hash\`, from a read with anchors), section, list item or a few words. For many places at once, canvas_apply_patch takes a unified diff with three lines of context, copied exactly. All of a call applies or none.
4. canvas_check_in when you are done.

Lines count from 1, ends included, and move with every edit: use the numbers of the last answer, or read again. A refused edit shows the actual lines; correct it and send it again.

A person who writes or takes control ends your lease, and your edits with it: after STALE_EPOCH stop editing unless you are asked again. After LEASE_EXPIRED check out and read again. Messages that begin with "Canvas update" report what changed in the meantime; take them as facts and do not mention them.`;
