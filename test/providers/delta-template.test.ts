import { describe, expect, test } from "vitest";
import { chatCodec } from "../../src/adapters/providers/openai-chat/codec.ts";
import { plainChatCompat } from "../../src/adapters/providers/openai-chat/compat.ts";
import { createSseReader } from "../../src/adapters/providers/shared/sse.ts";
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
      const reader = createSseReader();
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
});
