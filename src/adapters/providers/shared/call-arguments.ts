import type { ToolUseBlock } from "../../../core/message/types.ts";

/** Returns the arguments of a call as JSON text, the form of OpenAI's formats. */
export function argumentsOf(block: ToolUseBlock): string {
  // Servers that parse the arguments would refuse the whole request because of one broken call; its result says what was
  // wrong.
  if (block.argumentsError !== undefined) return "{}";
  return block.rawParameters ?? JSON.stringify(block.parameters);
}
