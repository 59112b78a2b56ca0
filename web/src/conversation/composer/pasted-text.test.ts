import { expect, test } from "vitest";
import { becomesOwnMessage } from "./pasted-text.ts";

test.each([
  ["more than 500 characters", 501, { text: "", pasted: "" }, true],
  ["500 characters", 500, { text: "", pasted: "" }, false],
  ["with blanks alone in the composer", 501, { text: " \n", pasted: "" }, true],
  ["with words in the composer", 5_000, { text: "About this:", pasted: "" }, false],
  ["with another pasted text waiting", 5_000, { text: "", pasted: "x" }, false],
])("F-47 becomesOwnMessage decides for pasted text: %s", (_name, length, composer, own) => {
  expect(becomesOwnMessage("x".repeat(length), composer)).toBe(own);
});
