import { isNonEmpty } from "../base/non-empty.ts";
import type { AssistantContentBlock, Message } from "./types.ts";

const leftOutText = "Content that only the model itself can read was left out.";

/**
 * Returns a message without everything that binds it to the model that wrote it and to the messages before it: thinking,
 * signatures, items of a provider's own. All words are kept.
 */
export function withoutBinding(message: Message): Message {
  if (message.role !== "assistant") return message;
  const content = message.content.flatMap((block): readonly AssistantContentBlock[] => {
    if (block.type === "thinking" || block.type === "opaque") return [];
    if (block.type === "notice") return [block];
    const { native: _bound, ...rest } = block;
    return [rest];
  });
  const { native: _fields, ...said } = message;
  return { ...said, content: isNonEmpty(content) ? content : [{ type: "notice", text: leftOutText }] };
}
