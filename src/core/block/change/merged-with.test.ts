import { expect, test } from "vitest";
import { mergedWith } from "./merged-with.ts";

test.each<[what: string, seen: string, now: string, written: string, merged: string | null]>([
  ["nothing new", "a\nb\n", "a\nb\n", "a\nB\n", "a\nB\n"],
  ["nothing written", "a\nb\n", "A\nb\n", "a\nb\n", "A\nb\n"],
  ["other lines", "a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n"],
  ["lines added apart", "a\nb\nc\n", "0\na\nb\nc\n", "a\nb\nc\nd\n", "0\na\nb\nc\nd\n"],
  ["the same line", "a\nb\nc\n", "a\nB1\nc\n", "a\nB2\nc\n", null],
  ["the same line, which the author took over", "a\nb\nc\n", "a\nB1\nc\n", "a\nB1\nB2\nc\n", "a\nB1\nB2\nc\n"],
  ["the same lines, of which the author took over one", "a\nb\nc\n", "a\nB1\nB2\nc\n", "a\nB1\nB3\nc\n", null],
  ["a line that was only taken away", "a\nb\nc\n", "a\nc\n", "a\nB\nc\n", null],
])("%s: seen %j, now %j, written %j", (_what, seen, now, written, merged) => {
  expect(mergedWith(seen, now, written)).toBe(merged);
});
