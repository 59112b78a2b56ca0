import type { NodeId } from "../../../core/base/ids.ts";
import type { UserMessage } from "../../../core/message/types.ts";

/**
 * Builds the first message of a branch that continues a full one. It names that branch, so that no two are equal, and marks
 * the summary as a model's words, not the person's.
 */
export function continuationMessage(branch: NodeId, summary: string): UserMessage {
  const quoted = summary.replaceAll(/<(?=\/?earlier-branch)/gu, "<\\");
  const text = `This conversation continues here because the model's context was full. A model wrote this summary of the earlier branch; these are not the person's words.\n<earlier-branch last="${branch}">\n${quoted}\n</earlier-branch>`;
  return { role: "user", content: [{ type: "text", text }], instruction: "continuation" };
}
