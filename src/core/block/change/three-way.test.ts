import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TextChange } from "../../text/types.ts";
import { threeWay } from "./three-way.ts";

function changed(text: string, changes: readonly TextChange[]): string {
  return changes.toReversed().reduce((now, { from, to, insert }) => now.slice(0, from) + insert + now.slice(to), text);
}

describe("threeWay", () => {
  test.each([
    ["other lines", "a\nb\nc\nd\n", "A\nb\nc\nd\n", "a\nb\nc\nD\n", "a\nb\nc\nD\n"],
    ["ours alone", "a\nb\n", "x\nb\n", "a\nb\n", "a\nb\n"],
    ["theirs alone", "a\nb\n", "a\nb\n", "a\nx\nb\n", "a\nx\nb\n"],
    ["the same on both", "a\nb\nc\nd\n", "a\nX\nc\nd\n", "a\nX\nc\nD\n", "a\nb\nc\nD\n"],
    ["no newline at the end", "a\nb\nc", "A\nb\nc", "a\nb\nc\n", "a\nb\nc\n"],
  ])("%s: gives their side as changes to the base", (_name, base, ours, theirs, expected) => {
    const verdict = threeWay(base, ours, theirs);
    expect(verdict.type === "changes" ? changed(base, verdict.changes) : verdict).toBe(expected);
  });

  test.each([
    ["the same line", "a\nb\nc\n", "a\nX\nc\n", "a\nY\nc\n", [{ start: 1, end: 2 }]],
    ["lines next to each other", "a\nb\nc\n", "X\nb\nc\n", "a\nY\nc\n", [{ start: 1, end: 2 }]],
    ["added at one place", "a\n", "a\nx\n", "a\ny\n", [{ start: 1, end: 1 }]],
    ["the same words for more lines", "a\nb\nc\n", "a\nX\nc\n", "a\nX\n", [{ start: 1, end: 3 }]],
    ["the same words for fewer lines", "a\nb\nc\n", "a\nX\n", "a\nX\nc\n", [{ start: 1, end: 2 }]],
    ["deleted and changed", "a\nb\nc\nd\n", "a\nd\n", "a\nb\nC\nd\n", [{ start: 2, end: 3 }]],
  ])("%s: is a conflict", (_name, base, ours, theirs, lines) => {
    expect(threeWay(base, ours, theirs)).toEqual({ type: "conflict", lines });
  });

  test("gives all of theirs when ours is the base, nothing when both are equal, and never half a conflict", () => {
    const text = fc
      .array(fc.constantFrom("a\n", "b\n", "c\r\n", "d", "\n"), { maxLength: 10 })
      .map((lines) => lines.join(""));
    fc.assert(
      fc.property(text, text, (base, theirs) => {
        const alone = threeWay(base, base, theirs);
        expect(alone.type === "changes" ? changed(base, alone.changes) : alone).toBe(theirs);
        expect(threeWay(base, theirs, theirs)).toEqual({ type: "changes", changes: [] });
        expect(threeWay(base, theirs, base)).toEqual({ type: "changes", changes: [] });
      }),
    );
  });
});
