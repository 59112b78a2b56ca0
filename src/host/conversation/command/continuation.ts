import type { NodeId } from "../../../core/base/ids.ts";
import type { UserMessage } from "../../../core/message/types.ts";

/**
 * What a branch begins with that goes on where another was full. It names that branch, so that no two say the same, and
 * keeps the summary apart from what a person says next: a model wrote it, which had read whatever it had read.
 */
export function continuationMessage(branch: NodeId, summary: string): UserMessage {
  const quoted = summary.replaceAll(/<(?=\/?earlier-branch)/gu, "<\\");
  const text = `This conversation goes on here, because the model's context was full. A model wrote this summary of what was said before; it is not the person's words.\n<earlier-branch last="${branch}">\n${quoted}\n</earlier-branch>`;
  return { role: "user", content: [{ type: "text", text }], instruction: "continuation" };
}
