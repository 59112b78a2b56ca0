import type { ToolUseBlock } from "../../../core/message/types.ts";

/** Returns the arguments of a call as JSON text, the form of OpenAI's formats; `exact` for the server that wrote them. */
export function argumentsOf(block: ToolUseBlock, exact: boolean): string {
  if (exact && block.rawParameters !== undefined) return block.rawParameters;
  // Servers that parse the arguments would refuse the whole request because of one broken call; its result says what was
  // wrong. Some write `null` for no arguments, which others refuse.
  if (block.argumentsError !== undefined || block.rawParameters?.trim() === "null") return "{}";
  return block.rawParameters ?? JSON.stringify(block.parameters);
}
