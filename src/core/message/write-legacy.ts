import type { Refusal } from "../base/errors.ts";
import { refusal } from "../base/errors.ts";
import type { Result } from "../base/result.ts";
import { err, ok } from "../base/result.ts";
import type { LegacyMessage, LegacyToolCall, MessageV2 } from "./read-legacy.ts";
import { joinedText } from "./text-content.ts";
import type { ContentBlock } from "./types.ts";

/**
 * Writes a message in the legacy form: text blocks joined without anything between, then the
 * calls. Thinking, opaque items and notices are left out, because no reader of that form knows them. Refuses a message
 * with an
 * image, a file or a provider's refusal, an instruction, and a message that would be empty.
 */
export function writeLegacyMessage(message: MessageV2): Result<LegacyMessage, Refusal> {
  const blocks: readonly ContentBlock[] = message.content;
  const lost = blocks.findIndex((block) => ["image", "file", "refusal"].includes(block.type));
  if (lost !== -1) return unsayable(`content.${lost}.type`);
  const text = joinedText(blocks.filter((block) => block.type === "text"));
  switch (message.role) {
    case "user":
      return text.trim() === "" ? unsayable("content") : ok({ role: "user", content: text });
    case "tool":
      return ok({ role: "tool", content: text, tool_call_id: message.tool_call_id });
    case "assistant": {
      const calls = blocks.flatMap((block): readonly LegacyToolCall[] =>
        block.type !== "tool-use"
          ? []
          : [
              {
                id: block.id,
                type: "function",
                function: { name: block.name, arguments: JSON.stringify(block.parameters) },
              },
            ],
      );
      if (calls.length > 0) return ok({ role: "assistant", content: text === "" ? null : text, tool_calls: calls });
      return text.trim() === "" ? unsayable("content") : ok({ role: "assistant", content: text });
    }
    case "system":
      return unsayable("role");
  }
}

function unsayable(at: string): Result<never, Refusal> {
  return err(refusal("MESSAGE_INVALID", { at, problem: "The legacy form of messages has no place for this." }));
}
