import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { excerptOf, foldedWords, foldWord, queryWords } from "./words.ts";

const text = fc.string({ unit: "binary", maxLength: 400 });

describe("the words of a query", () => {
  test.each([
    ["", []],
    ["tea", ["tea"]],
    ["  Tea, MILK!tea2", ["Tea", "MILK", "tea2"]],
    ["tea Tea milk", ["tea", "milk"]],
    ["tea milk Tea", ["tea", "milk", "Tea"]],
    ["tea tea", ["tea", "tea"]],
    ["a\0b\ud800c", ["a", "b", "c"]],
    ["e\u0301te \u0301x", ["e\u0301te", "x"]],
  ])("of %j are %j", (query, expected) => {
    expect(queryWords(query)).toEqual(expected);
  });

  test("queries have at most a hundred words, including the last one typed", () => {
    const words = queryWords(Array.from({ length: 1_000 }, (_, index) => `w${index}`).join(" "));
    expect(words).toHaveLength(100);
    expect(words.slice(0, 2)).toEqual(["w0", "w1"]);
    expect(words.at(-1)).toBe("w999");
  });

  test("words hold only letters, digits and marks, whatever was typed", () => {
    fc.assert(
      fc.property(text, (query) => {
        for (const word of queryWords(query)) expect(word).toMatch(/^[\p{L}\p{N}\p{Co}][\p{L}\p{N}\p{Co}\p{M}]*$/u);
      }),
    );
  });
});

describe("an excerpt", () => {
  test("an excerpt is a short piece of the text around the match and splits no surrogate pair", () => {
    fc.assert(
      fc.property(text, fc.nat(), (before, at) => {
        const whole = `${before} needle ${before.repeat(5)}`.toWellFormed();
        const excerpt = excerptOf(whole, at % 2 === 0 ? ["none", "needl"] : ["Needle", "none"]);
        expect(whole).toContain(excerpt);
        expect(excerpt.length).toBeLessThanOrEqual(200);
        expect(excerpt.isWellFormed()).toBe(true);
        const isThere = foldedWords(before).some((word) => word.startsWith("n"));
        if (!isThere) expect(excerpt).toContain("needle");
      }),
    );
  });

  test("the excerpt of a text without the words is its beginning", () => {
    expect(excerptOf("abc", ["x"])).toBe("abc");
    expect(excerptOf("abc", [])).toBe("abc");
    expect(excerptOf("", ["x"])).toBe("");
    expect(excerptOf("y ".repeat(300), ["x"])).toBe("y ".repeat(100));
  });
});

test.each([
  ["Café", "cafe"],
  ["CAFE\u0301", "cafe"],
  ["Größe", "große"],
  ["ΣΊΣΥΦΟΣ", "σισυφος"],
])("%s folds to %s", (word, folded) => {
  expect(foldWord(word)).toBe(folded);
});
