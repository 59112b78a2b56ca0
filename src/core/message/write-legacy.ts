import type { Refusal } from "../base/errors.ts";
import { refusal } from "../base/errors.ts";
import type { Result } from "../base/result.ts";
import { err, ok } from "../base/result.ts";
import type { LegacyMessage, LegacyToolCall, MessageV2 } from "./read-legacy.ts";
import { joinedText } from "./text-content.ts";
import type { ContentBlock } from "./types.ts";

/**
 * Says a message as it was said before there were content blocks: text blocks joined without anything between, then the
 * calls. Thinking, opaque items and notices are left out: they never reached a reader of that form. Refused where an
 * image, a file or a provider's refusal would be lost, for an instruction, and where nothing is left.
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
  return err(refusal("MESSAGE_INVALID", { at, problem: "The earlier form of messages cannot say this." }));
}
