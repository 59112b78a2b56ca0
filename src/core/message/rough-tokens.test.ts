import { expect, test } from "vitest";
import { roughTokens } from "./rough-tokens.ts";

test.each([
  ["nothing", "", 0],
  ["a word of eight letters", "Weekends", 1],
  ["a longer word", "Weekender", 3],
  ["the first and the last letters", "azAZ", 1],
  ["words, whose blank goes with the next one", "two words", 2],
  ["digits by threes", "0123456789", 4],
  ["a digit beside a letter", "a1", 2],
  ["the first and the last digits", "09", 1],
  ["signs", "@[`{/:", 5],
  ["eight signs", "........", 6],
  ["indentation", " ".repeat(17), 2],
  ["a tab as a blank", "\t", 0],
  ["line ends by twos", "\n\r\n", 2],
  ["letters of Latin outside ASCII", "éé", 2],
  ["the last Latin letter", "\u{24F}", 1],
  ["another alphabet", "привет", 3],
  ["the first letter of another alphabet", "\u{250}".repeat(5), 2],
  ["East Asian characters", "東京都庁舎へ行く道を", 9],
  ["where alphabets end", "\u{2000}".repeat(10), 9],
  ["the letter before that", "\u{1FFF}".repeat(10), 4],
  ["a key", "a1".repeat(24), 34],
  ["a key that is too short to be one", "a1".repeat(23), 46],
  ["a row of dashes", "-".repeat(60), 45],
  ["a long row of digits", "1".repeat(60), 20],
  ["a word between words", `see ${"aB3_".repeat(25)} there`, 73],
])("estimates %s", (_what, text, tokens) => {
  expect(roughTokens(text)).toBe(tokens);
});

test("finds a key wherever it begins, and two with a sign between them", () => {
  const key = "a1".repeat(24);
  for (let before = 0; before < 100; before += 1)
    expect(roughTokens(`${"\n".repeat(before * 2)}${key}`)).toBe(before + 34);
  expect(roughTokens(`${key}.${key}`)).toBe(68);
});
