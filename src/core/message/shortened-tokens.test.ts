import { expect, test } from "vitest";
import { beginningInTokens, shortenedInMiddle } from "./shortened-tokens.ts";

test.each([0, 1])("a text is shortened between whole characters, from %i units on", (odd) => {
  const text = `${"a".repeat(odd)}${"😀".repeat(400)}`;
  const short = shortenedInMiddle(text, 150);
  expect(short.isWellFormed()).toBe(true);
  expect(short).toContain(`[… `);
  const kept = short.split("\n");
  expect(kept).toHaveLength(3);
  expect(text.endsWith(kept[2] ?? "-") && text.startsWith(kept[0] ?? "-")).toBe(true);
  expect(kept[1]).toContain(` ${text.length - (kept[0]?.length ?? 0) - (kept[2]?.length ?? 0)} characters`);
});

test.each([
  ["日日日日 本本本本", "日日日日 […]"],
  // A blank in the middle would leave but half.
  ["日日日 本本本本本", "日日日 本本 […]"],
])("the beginning of %s ends with a whole word where that is more than half of what fits", (text, beginning) => {
  expect(beginningInTokens(text.repeat(4), 7)).toBe(beginning);
});
