import { expect, test } from "vitest";
import { eolOf, hasFinalNewline } from "./text-facts.ts";

test.each([
  ["", "none", false],
  ["a", "none", false],
  ["a\r", "none", false],
  ["a\n", "lf", true],
  ["a\nb", "lf", false],
  ["a\r\nb\r\n", "crlf", true],
  ["a\r\nb\n", "mixed", true],
  ["\r\r\n", "crlf", true],
] as const)("14.5 %j ends its lines as %s, final newline: %s", (text, eol, final) => {
  expect(eolOf(text)).toBe(eol);
  expect(hasFinalNewline(text)).toBe(final);
});
