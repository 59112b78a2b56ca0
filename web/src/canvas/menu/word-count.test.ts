import { expect, test } from "vitest";
import { countText, countWords } from "./word-count.ts";

test("17.19 words are counted as people count them, in scripts without blanks too", () => {
  expect(countText("It’s a well-known fact: 3.5 % of it.\n\n- **one**")).toEqual({ words: 8, characters: 47 });
  expect(countText("日本語 text").words).toBe(4);
  expect(countText("👩‍👧 🎉").words).toBe(0);
  expect(countWords(countText("one"))).toBe("1 word");
  expect(countWords({ words: 12_345, characters: 0 })).toBe("12,345 words");
});
