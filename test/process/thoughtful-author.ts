import type { ToolCallId } from "../../src/core/base/ids.ts";
import { isNonEmpty } from "../../src/core/base/non-empty.ts";
import type { Message } from "../../src/core/message/types.ts";
import type { StreamPart } from "../../src/core/model/stream-part.ts";
import type { LanguageModel } from "../../src/core/port/language-model.ts";

/** The tool it calls in addition to the requested ones. */
export const secondTool = "block_list";
export const thought = "What comes next? First the one thing,\nthen a look at the other blocks.";

/** Wraps an author so that it thinks before each reply and makes one more call after each of its calls. */
export function thoughtful(author: LanguageModel): LanguageModel {
  return {
    ...author,
    async *stream(request, signal): AsyncGenerator<StreamPart, void, undefined> {
      let begun = false;
      let calls = 0;
      for await (const part of author.stream({ ...request, messages: withoutSecond(request.messages) }, signal)) {
        if (part.type === "finished" && calls > 0) yield* secondCall(request.messages.length);
        if ("index" in part && !begun) {
          begun = true;
          yield { type: "thinking-start", index: 0 };
          yield { type: "thinking-delta", index: 0, text: thought };
          yield { type: "thinking-end", index: 0 };
        }
        if (part.type === "tool-call-start") calls += 1;
        yield "index" in part ? { ...part, index: part.index + 1 } : part;
      }
    },
  };
}

function* secondCall(place: number): Iterable<StreamPart> {
  const index = 1_000;
  yield { type: "tool-call-start", index, id: `second_${place}`, name: secondTool };
  yield { type: "tool-call-delta", index, text: '{"kind":"file"}' };
  yield { type: "tool-call-end", index };
}

function withoutSecond(messages: readonly Message[]): readonly Message[] {
  const second = new Set<ToolCallId>();
  return messages.flatMap((message): readonly Message[] => {
    if (message.role === "tool") return second.has(message.tool_call_id) ? [] : [message];
    if (message.role !== "assistant") return [message];
    const content = message.content.filter((block) => {
      if (block.type === "tool-use" && block.name === secondTool) second.add(block.id);
      return block.type !== "thinking" && !(block.type === "tool-use" && block.name === secondTool);
    });
    return isNonEmpty(content) ? [{ ...message, content }] : [];
  });
}
