import { expect, test } from "vitest";
import { searchText, shownUnitsMax } from "./search.ts";

// In a file of its own: it holds the search to the clock, which a busy machine may fail.
test("a long line with very many matches returns as many as may be shown, quickly, and says that there are more", () => {
  const text = "x".repeat(8_000_000);
  const began = performance.now();
  const { matches, truncated } = searchText(text, { query: "x", mode: "literal", contextLines: 0, maxMatches: 1_000 });
  expect([matches.length, truncated]).toEqual([shownUnitsMax / 1_000, true]);
  expect(performance.now() - began).toBeLessThan(200);
  const whole = { query: "x", mode: "regex", contextLines: 0, maxMatches: 20, lineUnitsMax: 8_000_000 } as const;
  expect(searchText(text, whole)).toMatchObject({ truncated: true });
  expect(searchText(text, whole).matches).toHaveLength(1);
});
