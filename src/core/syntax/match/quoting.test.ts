import { expect, test } from "vitest";
import type { Grammar } from "../base/grammar.ts";
import { Quoting } from "./quoting.ts";

function isQuotedAfter(text: string, kind: Grammar["quoting"] = "fences"): boolean {
  const quoting = new Quoting(kind);
  for (const character of text) quoting.take(character.charCodeAt(0));
  return quoting.isQuoted;
}

test.each<[string, string, boolean]>([
  ["a fence", "```\n", true],
  ["a fence with a language", "```ts\n", true],
  ["three blanks before it", "   ```\n", true],
  ["four blanks before it", "    ```\n", false],
  ["a fence behind a list's marker", "- ```\n", true],
  ["a fence behind two markers", "* 10. ~~~\n", true],
  ["a fence in a list, further in", "10. a\n\n    ```\n", true],
  ["a closed fence in a list", "- ```\n  a\n  ```\n", false],
  ["a marker in a fence", "```\n- ```\n", true],
  ["a number that is no marker", "3.5 ```\n", false],
  ["emphasis", "**```\n", false],
  ["two backticks", "``\n", false],
  ["backticks behind backticks are a span", "``` a ```\n", false],
  ["tildes with backticks behind them", "~~~ a ```\n", true],
  ["tildes that are just beginning, with a backtick behind them", "~~~ a `b", true],
  ["backticks that are just beginning, with a backtick behind them", "``` a `b", false],
  ["a closed fence", "```\na\n```\n", false],
  ["a longer closing", "```\na\n`````  \n", false],
  ["a shorter closing", "````\na\n```\n", true],
  ["another character's closing", "```\na\n~~~\n", true],
  ["a closing with words", "```\na\n``` b\n", true],
  ["a closing with CRLF", "```\r\na\r\n```\r\n", false],
  ["a fence that is just beginning", "a\n```t", true],
])("Quoting after %s: %j quotes the following text: %j", (_name, text, expected) => {
  expect(isQuotedAfter(text)).toBe(expected);
});

test.each<[string, boolean]>([
  ["> a ", true],
  [">", true],
  ["   > > a", true],
  ["    > a", false],
  ["- > a", true],
  ["1. a\n\n     > a", true],
  ["> a\n", false],
  ["> ```\n", false],
  ["a > b", false],
  ["- a > b", false],
  ["a `b", false],
  ["```\n> ```\n", true],
])("Quoting with block quotes: %j quotes the following text: %j", (text, expected) => {
  expect(isQuotedAfter(text, "fences-and-block-quotes")).toBe(expected);
});

test("Quoting ignores block quotes in syntaxes whose marks are single tokens", () => {
  expect(isQuotedAfter("> a ")).toBe(false);
});

test.each<[string, boolean]>([
  ["a `b", true],
  ["a `b` ", false],
  ["a ``b` ", true],
  ["a `b\n", false],
  ["> a ", true],
  ["a > b", false],
  ["> a\n", false],
])("Quoting in a taught syntax: %j quotes the following text: %j", (text, expected) => {
  expect(isQuotedAfter(text, "fences-and-spans")).toBe(expected);
});
