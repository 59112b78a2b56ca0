import { expect, test } from "vitest";
import { hasCrLf, normalises, withLf, type LineEndRules } from "./line-ends.ts";

const none: LineEndRules = { text: "unspecified", eol: "unspecified", crlf: "unspecified", autocrlf: "" };

test.each([
  [{}, "never"],
  [{ text: "set" }, "always"],
  [{ text: "unset", eol: "crlf" }, "never"],
  [{ text: "auto", eol: "crlf" }, "guess"],
  [{ eol: "crlf" }, "always"],
  [{ eol: "lf", autocrlf: "false" }, "always"],
  [{ crlf: "set" }, "always"],
  [{ crlf: "unset", autocrlf: "true" }, "never"],
  [{ text: "unset", crlf: "set" }, "never"],
  [{ autocrlf: "true" }, "guess"],
  [{ autocrlf: "input" }, "guess"],
  [{ autocrlf: "false" }, "never"],
] as const)("%j normalises %s", (rules, expected) => {
  expect(normalises({ ...none, ...rules })).toBe(expected);
});

test.each([
  ["a\r\nb\r\n", true],
  ["a\r\nb\n", true],
  ["a\n", false],
  ["a\rb\r\n", false],
  ["a\r\n\0", false],
  ["a\r", false],
])("hasCrLf of %j is %s", (text, expected) => {
  expect(hasCrLf(new TextEncoder().encode(text))).toBe(expected);
});

test("withLf removes only the CR before an LF", () => {
  expect(new TextDecoder().decode(withLf(new TextEncoder().encode("a\r\nb\rc\r\r\n")))).toBe("a\nb\rc\r\n");
});
