import fc from "fast-check";
import { expect, test } from "vitest";
import { unifiedDiff } from "../../../src/core/block/patch/unified-diff.ts";
import { changedWords } from "./changed-words.ts";
import { type DiffLine, readDiff, sideBySide } from "./diff-rows.ts";

const textOf = (line: DiffLine): string => line.pieces.map((piece) => piece.text).join("");
const lineText = fc.constantFrom("", "alpha", "beta gamma", "beta delta", "- item", "+ plus", "@ sign", "# Head");
const document = fc.array(lineText, { maxLength: 14 }).map((lines) => lines.map((line) => `${line}\n`).join(""));

test("diff lines have the numbers and words of both texts, in one column and in two", () => {
  fc.assert(
    fc.property(document, document, (before, after) => {
      const oldLines = before.split("\n");
      const newLines = after.split("\n");
      for (const hunk of readDiff(unifiedDiff(before, after))) {
        for (const line of hunk.lines) {
          if (line.oldNumber !== null) expect(textOf(line)).toBe(oldLines[line.oldNumber - 1]);
          if (line.newNumber !== null) expect(textOf(line)).toBe(newLines[line.newNumber - 1]);
          expect([line.oldNumber === null, line.newNumber === null]).toEqual([
            line.type === "added",
            line.type === "removed",
          ]);
        }
        const pairs = sideBySide(hunk);
        expect(pairs.flatMap(({ left }) => (left === null ? [] : [left]))).toEqual(
          hunk.lines.filter(({ type }) => type !== "added"),
        );
        expect(pairs.flatMap(({ right }) => (right === null ? [] : [right]))).toEqual(
          hunk.lines.filter(({ type }) => type !== "removed"),
        );
      }
    }),
  );
});

test("readDiff counts the lines skipped before each hunk", () => {
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}\n`);
  const after = lines.map((line, index) => ([4, 24].includes(index) ? `new ${line}` : line));
  const [first, second, ...others] = readDiff(unifiedDiff(lines.join(""), after.join("")));
  expect([first?.skipped, second?.skipped, others]).toEqual([1, 13, []]);
});

test("readDiff reads the lines of an incomplete patch", () => {
  expect(readDiff("--- a\n+++ b\n@@ -1,2 +1")).toEqual([{ skipped: null, lines: [] }]);
  const [hunk] = readDiff("@@ -3,2 +3,2 @@\n keep\n-old wor");
  expect(hunk?.lines.map(textOf)).toEqual(["keep", "old wor"]);
  expect(readDiff("")).toEqual([]);
});

test.each([
  ["one word of many", "the quick brown fox", "the slow brown fox", "the [quick] brown fox", "the [slow] brown fox"],
  ["words added at the end", "We begin.", "We begin. And go on.", "We begin.", "We begin.[ And go on.]"],
  ["nothing in common", "alpha beta", "one two three", null, null],
  ["two places", "a b c d e f", "a x c d y f", "a [b] c d [e] f", "a [x] c d [y] f"],
])("readDiff marks the difference between two lines: %s", (_name, before, after, markedBefore, markedAfter) => {
  const marked = changedWords(before, after);
  const shown = (pieces: readonly { text: string; changed: boolean }[] | undefined): string | null =>
    pieces?.map(({ text, changed }) => (changed ? `[${text}]` : text)).join("") ?? null;
  expect([shown(marked?.before), shown(marked?.after)]).toEqual([markedBefore, markedAfter]);
});

test("readDiff marks very long lines quickly, between their common beginning and end", () => {
  const long = "word ".repeat(5_000);
  const marked = changedWords(`${long}old ${long}`, `${long}new ${long}`);
  expect(marked?.before.filter(({ changed }) => changed)).toEqual([{ text: "old", changed: true }]);
});

test("readDiff marks a huge diff up to its budget and returns all its lines", () => {
  const line = (sign: string, word: string): string =>
    `${sign}${Array.from({ length: 45 }, (_, at) => `${word}${at} same${at}`).join(" ")}\n`;
  const [hunk] = readDiff(`@@ -1,2000 +1,2000 @@\n${line("-", "a").repeat(2_000)}${line("+", "b").repeat(2_000)}`);
  const isMarked = ({ pieces }: DiffLine): boolean => pieces.some(({ changed }) => changed);
  expect(hunk?.lines).toHaveLength(4_000);
  expect(hunk?.lines.slice(0, 10).every(isMarked)).toBe(true);
  expect(hunk?.lines.slice(1_990, 2_000).some(isMarked)).toBe(false);
});
