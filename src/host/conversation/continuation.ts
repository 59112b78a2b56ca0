import type { NodeId } from "../../core/base/ids.ts";
import type { UserMessage } from "../../core/message/types.ts";

/**
 * What a branch begins with that goes on where another was full. It names that branch, so that no two say the same, and
 * says whose words the summary is: a model's, which had read whatever it had read.
 */
export function continuationMessage(branch: NodeId, summary: string): UserMessage {
  const text = `This conversation goes on here, because the model's context was full. What follows is a summary of the branch that ended in ${branch}; a model wrote it, and the person did not.\n\n${summary}`;
  return { role: "user", content: [{ type: "text", text }], instruction: "continuation" };
}
