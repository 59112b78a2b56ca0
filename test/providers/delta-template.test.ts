import { anthropicCodec } from "../../src/adapters/providers/anthropic/codec.ts";
import { claudeCompat } from "../../src/adapters/providers/anthropic/compat.ts";
import { describe, expect, test } from "vitest";
import { chatCodec } from "../../src/adapters/providers/openai-chat/codec.ts";
import { plainChatCompat } from "../../src/adapters/providers/openai-chat/compat.ts";
import { SseReader } from "../../src/adapters/providers/shared/sse.ts";
import type { StreamPart } from "../../src/core/model/stream-part.ts";
import { decoderFor } from "./recorded-codecs.ts";
import { recordedStreams, recordingsFolder } from "./recordings.ts";

/** The same event in a spelling that shares no form with the previous one. */
function respelled(data: string, at: number): string {
  return data.startsWith("{") ? `{${" ".repeat(1 + (at % 7))}"heddle_${at}": ${at},${data.slice(1)}` : data;
}

describe("events of one form", () => {
  test.skipIf(recordingsFolder === null)("give the same parts as when each event is parsed", () => {
    for (const row of recordedStreams()) {
      const reader = new SseReader();
      const events = [...reader.push(new TextEncoder().encode(row.body)), ...reader.end()];
      const [quick, slow] = [decoderFor(row.api).start(), decoderFor(row.api).start()];
      const parts = (decode: typeof quick, spell: typeof respelled): readonly StreamPart[] => [
        ...events.flatMap((event, at) => decode.push({ ...event, data: spell(event.data, at) })),
        ...decode.end(),
      ];
      expect({ id: row.id, parts: parts(quick, (data) => data) }).toEqual({
        id: row.id,
        parts: parts(slow, respelled),
      });
    }
  });

  const codec = chatCodec(plainChatCompat);
  const chunk = (content: string, more = '"created":1'): string =>
    `{"id":"x",${more},"choices":[{"index":0,"delta":{"content":${content}},"finish_reason":null}]}`;
  const said = (...data: readonly string[]): readonly string[] => {
    let state = codec.start;
    return data.map((each) => {
      const decoded = codec.decodeChunk(state, { data: each });
      ({ state } = decoded);
      return decoded.parts
        .map((part) =>
          part.type === "text-delta" ? part.text : part.type === "failed" ? `! ${part.failure.class}` : "",
        )
        .join("");
    });
  };
  const learned = [chunk('"a"'), chunk('"b"')];

  test.each([
    ["text", chunk('"c"'), "c"],
    ["nothing", chunk('""'), ""],
    ["escapes", chunk(String.raw`"\"\\\n\u00e9\ud83d\ude00"`), '"\\\né😀'],
    ["a text that looks like JSON", chunk(String.raw`"\"},\"finish_reason\":\"stop\""`), '"},"finish_reason":"stop"'],
    ["another number", chunk('"c"', '"created":123456'), "c"],
    ["a fraction, which is parsed", chunk('"c"', '"created":1.5'), "c"],
    ["a number with a leading zero, which is not JSON", chunk('"c"', '"created":01'), "! network"],
    ["a broken escape", chunk(String.raw`"\x"`), "! network"],
    ["an unterminated text", chunk('"c').slice(0, -40), "! network"],
    ["a control character, which JSON forbids", chunk('"\u0001"'), "! network"],
    ["no text", chunk("null"), ""],
    ["blanks before the last brace", `${chunk('"c"').slice(0, -1)}   }`, "c"],
    ["text after the last brace", `${chunk('"c"')} x`, "! network"],
  ])("%s", (_name, next, expected) => {
    expect(said(...learned, next)).toEqual(["a", "b", expected]);
  });

  test("the arguments of a provider's own tools are kept whole, also between pieces of other blocks", () => {
    const messages = anthropicCodec(claudeCompat("claude-opus-4-8"));
    const start = (index: number, block: object): string =>
      JSON.stringify({ type: "content_block_start", index, content_block: block });
    const json = (index: number, piece: string): string =>
      JSON.stringify({ type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json: piece } });
    const words = (index: number, text: string): string =>
      JSON.stringify({ type: "content_block_delta", index, delta: { type: "text_delta", text } });
    const tool = { type: "server_tool_use", name: "web_search", input: {} };
    const events = [
      start(0, { type: "text", text: "" }),
      start(1, { ...tool, id: "a" }),
      start(2, { ...tool, id: "b" }),
      ...["{", '"query"', ":", '"one', " two"].map((piece) => json(1, piece)),
      ...["said ", "be", "tween"].map((text) => words(0, text)),
      ...['{"query":"', "other", '"}'].map((piece) => json(2, piece)),
      ...[" three", '"', "}"].map((piece) => json(1, piece)),
      ...[0, 1, 2].map((index) => JSON.stringify({ type: "content_block_stop", index })),
    ];
    let state = messages.start;
    const parts = events.flatMap((data) => {
      const decoded = messages.decodeChunk(state, { data });
      ({ state } = decoded);
      return decoded.parts;
    });
    expect(parts.flatMap((part) => (part.type === "opaque" ? [part.raw["input"]] : []))).toEqual([
      { query: "one two three" },
      { query: "other" },
    ]);
    expect(parts.flatMap((part) => (part.type === "text-delta" ? [part.text] : [])).join("")).toBe("said between");
  });
});
