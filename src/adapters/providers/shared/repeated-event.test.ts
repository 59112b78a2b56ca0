import { expect, test } from "vitest";
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
