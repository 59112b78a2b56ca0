import { describe, expect, test } from "vitest";
import type { Notation } from "../base/grammar.ts";
import { nestingMax } from "../base/nesting.ts";
import { escaped, looseJson } from "./loose-json.ts";

const python: Notation = {
  quotes: [
    ['"""', '"""'],
    ["'", "'"],
    ['"', '"'],
  ],
  unquotedKeys: false,
  words: { True: true, None: null },
};
const bare: Notation = { quotes: [["<|", "|>"]], unquotedKeys: true, words: {} };

function read(text: string, notation: Notation = python): unknown {
  const json = looseJson(text, notation);
  return json === undefined ? undefined : JSON.parse(json);
}

describe("JSON in another notation", () => {
  test.each<readonly [text: string, value: unknown]>([
    [`{'a': 1, "b": [True, None, null, true, false]}`, { a: 1, b: [true, null, null, true, false] }],
    ["{}", {}],
    [" [ ] ", []],
    ["(1, 2,)", [1, 2]],
    ["[1,]", [1]],
    ["[ 1 , 2 , ]", [1, 2]],
    ["{ 'a' : 1 , }", { a: 1 }],
    ["{'a': 1,}", { a: 1 }],
    ["{'a': {'b': (1, [2])}}", { a: { b: [1, [2]] } }],
    ["'it\\'s'", "it's"],
    ["'\\n\\t\\d\\u00e9\\uZZZZ'", "\n\t\\dé\\uZZZZ"],
    ["'\\u00e'", "\\u00e"],
    ['"""a "b" c"""', 'a "b" c'],
    ["-1.5e3", -1500],
    [".5", 0.5],
    ["+7", 7],
    ["''", ""],
  ])("%s is read", (text, value) => {
    expect(read(text)).toEqual(value);
  });

  test.each([
    "",
    "{",
    "[",
    "[1",
    "[1 2]",
    "[,]",
    "{,}",
    "{'a' 1}",
    "{'a':}",
    "{a: 1}",
    "{'a': 1 'b': 2}",
    "{'a': 1, b}",
    "[1)",
    "'open",
    "'open\\",
    '"""open"',
    "word",
    "1e999",
    "--1",
    "1 2",
    "{} x",
    "0x10",
  ])("%j is no such value", (text) => {
    expect(read(text)).toBeUndefined();
  });

  test("keys need no quotes where the notation says so, and have its quotes too", () => {
    expect(read("{a: <|x:y|>, <|b|>: 2}", bare)).toEqual({ a: "x:y", b: 2 });
    expect(read("{a: <|open}", bare)).toBeUndefined();
    expect(read("{: 1}", bare)).toBeUndefined();
  });

  test("values nest as deep as the limit, and no deeper", () => {
    const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
    expect(read(nested(nestingMax + 1))).toBeDefined();
    expect(read(`${"[".repeat(nestingMax + 1)}1${"]".repeat(nestingMax + 1)}`)).toBeUndefined();
    const objects = (depth: number): string => `${"{'a':".repeat(depth)}1${"}".repeat(depth)}`;
    expect([read(objects(nestingMax)) === undefined, read(objects(nestingMax + 1))]).toEqual([false, undefined]);
  });
});

test.each([
  ["n", "\n"],
  ["b", "\b"],
  ["f", "\f"],
  ["r", "\r"],
  ["t", "\t"],
  ['"', '"'],
  ["'", "'"],
  ["\\", "\\"],
  ["/", "/"],
  ["d", "\\d"],
  ["", ""],
])("a backslash and %j mean %j", (letter, meant) => {
  expect(escaped(letter)).toBe(letter === "" ? "" : meant);
});
