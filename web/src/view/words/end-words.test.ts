import { expect, test } from "vitest";
import { endWords } from "./end-words.ts";

test.each([
  ["max-tokens", "Cut off at its token limit."],
  ["content-filter", "Stopped by the provider’s content filter."],
  ["end-turn", null],
  [undefined, null],
])("a reply that stopped for %s says: %s", (stop, words) => {
  const node = stop === undefined ? {} : { request: { model: "p/m", stop } };
  expect(endWords(node as Parameters<typeof endWords>[0])).toBe(words);
});
