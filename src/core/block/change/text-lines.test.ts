import fc from "fast-check";
import { expect, test } from "vitest";
import { scaled } from "../../../../test/scale.ts";
import { isLine, lineBounds, lineOf, lineText, textLines } from "./text-lines.ts";

test("every way of reading a line gives the same line, with any line ends and without a final newline", () => {
  const piece = fc.constantFrom("a", "ab", "", "\r", "\n", "\r\n", "ü😀");
  const wanted = fc.constantFrom("a", "ab", "", "a\r", "\r", "aa", "ü😀");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), wanted, (pieces, other) => {
      const text = pieces.join("");
      const lines = textLines(text);
      for (const index of lines.starts.keys()) {
        const line = lineOf(lines, index);
        expect(lineText(lines, index)).toBe(line.text);
        expect(lineBounds(lines, index)).toEqual({ from: line.from, to: line.to });
        expect(isLine(lines, index, line.text)).toBe(true);
        expect(isLine(lines, index, other)).toBe(line.text === other);
        expect(isLine(lines, index, text.slice(line.from, line.to + 1))).toBe(line.to === text.length);
      }
    }),
    { numRuns: scaled(1_000) },
  );
});
