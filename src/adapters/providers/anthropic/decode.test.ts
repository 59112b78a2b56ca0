import { describe, expect, test } from "vitest";
import { type Assembly, assemble, assembledMessage, emptyAssembly } from "../../../core/model/assemble.ts";
import { decodeChunk, decodeEnd, startState } from "./decode.ts";

const origin = { api: "anthropic", provider: "test", model: "m" };

const started = (index: number, block: object): object => ({
  type: "content_block_start",
  index,
  content_block: block,
});
const grew = (index: number, delta: object): object => ({ type: "content_block_delta", index, delta });
const stopped = (index: number): object => ({ type: "content_block_stop", index });

/** The content of a reply with these events. */
function content(...events: readonly object[]): unknown {
  return assembledMessage(assembled(events, {}, {}), origin)?.content;
}

/** The usage of a reply whose first and last events carry these counts. */
function usageOf(before: object, after: object): unknown {
  const { end } = assembled([], before, after);
  return end.type === "finished" ? end.usage : end;
}

function assembled(events: readonly object[], before: object, after: object): Assembly {
  const whole = [
    { type: "message_start", message: { id: "msg_1", model: "m", content: [], usage: before } },
    ...events,
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: after },
    { type: "message_stop" },
  ];
  let state = startState;
  let assembly = emptyAssembly;
  for (const event of whole) {
    const decoded = decodeChunk(state, { data: JSON.stringify(event) });
    state = decoded.state;
    assembly = decoded.parts.reduce(assemble, assembly);
  }
  return decodeEnd(state).reduce(assemble, assembly);
}

describe("a block that arrives in pieces", () => {
  test("C-36 arguments are joined from their pieces, wherever the stream cuts them", () => {
    const called = content(
      started(0, { type: "tool_use", id: "toolu_1", name: "get_weather", input: {} }),
      grew(0, { type: "input_json_delta", partial_json: "" }),
      grew(0, { type: "input_json_delta", partial_json: '{"location": "San' }),
      grew(0, { type: "input_json_delta", partial_json: ' Francisco"}' }),
      stopped(0),
    );
    expect(called).toMatchObject([
      { type: "tool-use", id: "toolu_1", name: "get_weather", parameters: { location: "San Francisco" } },
    ]);
  });

  test("cache writes count as input and are reported apart from cache reads", () => {
    const start = {
      input_tokens: 10,
      cache_creation_input_tokens: 300,
      cache_read_input_tokens: 2_000,
      output_tokens: 1,
    };
    expect(usageOf(start, { output_tokens: 7 })).toEqual({
      inputTokens: 2_310,
      cachedInputTokens: 2_000,
      cacheWriteTokens: 300,
      outputTokens: 7,
      thinkingTokens: 0,
    });
    expect(
      usageOf({ input_tokens: 10, cache_creation_input_tokens: 0, output_tokens: 1 }, { output_tokens: 7 }),
    ).toEqual({
      inputTokens: 10,
      cachedInputTokens: 0,
      outputTokens: 7,
      thinkingTokens: 0,
    });
  });

  test("C-36 thinking and its signature form one block, which includes text that arrives within it", () => {
    const thought = content(
      started(0, { type: "thinking", thinking: "", signature: "" }),
      grew(0, { type: "thinking_delta", thinking: "Let me" }),
      grew(0, { type: "text_delta", text: " see." }),
      grew(0, { type: "signature_delta", signature: "c2ln" }),
      grew(0, { type: "signature_delta", signature: "bmVk" }),
      stopped(0),
      started(1, { type: "text", text: "" }),
      grew(1, { type: "text_delta", text: "Seen." }),
      stopped(1),
    );
    expect(thought).toMatchObject([
      { type: "thinking", text: "Let me see.", signature: "c2lnbmVk" },
      { type: "text", text: "Seen." },
    ]);
  });
});
