import { expect, test } from "vitest";
import type { StreamPart } from "../../../core/model/stream-part.ts";
import { chatCodec } from "../openai-chat/codec.ts";
import { chatCompats } from "../openai-chat/compat.ts";
import { createHttpModel } from "./http-model.ts";
import { isRepeated } from "./repeated-event.ts";

const piece = (fields: string): string =>
  `{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":" a"},"index":0}]}}]${fields}}`;

test.each([
  ["random filling", piece(',"obfuscation":"x7Gh"'), true],
  ["too little filling", piece(',"obfuscation":"x7G"'), false],
  ["nothing of its own", piece(""), false],
  ["a number", '{"type":"response.output_text.delta","delta":"a","sequence_number":7}', true],
  [
    "the number of a server that counts nothing",
    '{"type":"response.output_text.delta","delta":"a","sequence_number":0}',
    false,
  ],
  ["an id", '{"event_type":"step.delta","index":0,"event_id":"v1"}', true],
  ["the reason why the reply ended", '{"candidates":[{"finishReason": "STOP"}]}', true],
  [
    "a call and the tokens so far",
    '{"candidates":[{"content":{"parts":[{"functionCall":{}}]}}],"usageMetadata":{"candidatesTokenCount":5}}',
    true,
  ],
  ["a text that quotes such a mark", '{"choices":[{"delta":{"content":"\\"sequence_number\\": 7"}}]}', false],
])("an equal event is the one before once more when it has %s: %j → %s", (_what, data, expected) => {
  const event = { data };
  expect(isRepeated(event, { data })).toBe(expected);
  expect(isRepeated(undefined, event)).toBe(false);
  expect(isRepeated(event, { data: `${data} ` })).toBe(false);
  expect(isRepeated(event, { event: "other", data })).toBe(false);
});

test("a doubled event of a streamed reply adds its text once", async () => {
  const said = (text: string, filling: string): string =>
    `data: {"choices":[{"index":0,"delta":{"content":"${text}"}}],"obfuscation":"${filling}"}\n\n`;
  const end = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n';
  // The second piece twice, then an equal piece of the model's own.
  const body = [said("a", "Xy7Gh"), said("b", "k3Lmn"), said("b", "k3Lmn"), said("b", "Qw9Er"), end].join("");
  const model = createHttpModel(
    {
      baseUrl: "https://models.example",
      streamed: true,
      codec: chatCodec(chatCompats.openai),
      info: {
        id: "openai/gpt",
        name: "GPT",
        contextTokensMax: 1_000,
        outputTokensMax: 100,
        tools: true,
        thinking: false,
        local: true,
      },
    },
    {
      fetch: () => Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } })),
      clock: { now: () => 0, monotonic: () => 0, setTimer: () => () => undefined },
    },
  );
  const parts: StreamPart[] = [];
  const request = { model: "gpt", system: "", messages: [], tools: [], maxTokens: 10, thinking: "off" } as const;
  for await (const part of model.stream(request, new AbortController().signal)) parts.push(part);
  expect(parts.map((part) => (part.type === "text-delta" ? part.text : "")).join("")).toBe("abb");
});
