import { expect, test } from "vitest";
import { AuthorHues, hueCount, initials } from "./author-hue.ts";

test("eight authors get eight hues, and keep them", () => {
  const hues = new AuthorHues();
  const authors = Array.from({ length: hueCount }, (_, index) => `author-${index}`);
  const first = authors.map((author) => hues.hueOf(author));
  expect(new Set(first).size).toBe(hueCount);
  expect(authors.map((author) => hues.hueOf(author))).toEqual(first);
  expect(hues.hueOf("a ninth")).toBeLessThan(hueCount);
});

test("initials returns letters for names of any form", () => {
  expect(
    ["Amy", "Ada Lovelace", "scripted/scribe", "Scribe (built-in author)", "Claude Opus 4.8", "4.8", ""].map(initials),
  ).toEqual(["A", "AL", "SS", "S", "CO", "4", "?"]);
});
