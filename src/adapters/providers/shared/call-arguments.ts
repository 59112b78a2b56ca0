import type { ToolUseBlock } from "../../../core/message/types.ts";

/** The arguments of a call as the text that OpenAI's formats have them in. */
export function argumentsOf(block: ToolUseBlock): string {
  // Servers that parse the arguments refuse the whole request over one broken call; its result says what was wrong.
  if (block.argumentsError !== undefined) return "{}";
  return block.rawParameters ?? JSON.stringify(block.parameters);
}
