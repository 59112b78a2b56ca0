import { expect, test } from "vitest";
import { AuthorHues, hueCount, initials } from "./author-hue.ts";

test("an author has the same hue in every window, in whatever order authors are met", () => {
  const authors = Array.from({ length: 40 }, (_, index) => `person_${index}`);
  const one = new AuthorHues();
  const other = new AuthorHues();
  const met = new Map(authors.map((author) => [author, one.hueOf(author)]));
  for (const author of authors.toReversed()) expect(other.hueOf(author)).toBe(met.get(author));
  expect(new Set(met.values()).size).toBe(hueCount / 2);
});

test("a person and an agent never share a hue", () => {
  const hues = new AuthorHues();
  const people = new Set(Array.from({ length: 40 }, (_, index) => hues.hueOf(`person_${index}`)));
  const agents = new Set(Array.from({ length: 40 }, (_, index) => hues.hueOf(`model:provider/model-${index}`)));
  expect([...people].filter((hue) => agents.has(hue))).toEqual([]);
});

test("initials returns letters for names of any form", () => {
  expect(
    ["Amy", "Ada Lovelace", "scripted/scribe", "Scribe (built-in author)", "Claude Opus 4.8", "4.8", ""].map(initials),
  ).toEqual(["A", "AL", "SS", "S", "CO", "4", "?"]);
});
