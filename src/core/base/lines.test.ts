import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  lineAt,
  lineCount,
  lineFrom,
  lineHash,
  lineStarts,
  newlineCount,
  prevailingLineEnd,
  splitLines,
} from "./lines.ts";

const lineish = fc.string({ unit: fc.constantFrom("a", "é", "😀", "\n", "\r", "\r\n") });

describe("lines", () => {
  test.each([
    ["", 0],
    ["a", 1],
    ["a\n", 1],
    ["\n", 1],
    ["a\n\n", 2],
    ["a\nb", 2],
    ["\r", 1],
    ["a\rb", 1],
  ])("B-01 %j has %d lines", (text, count) => {
    expect(lineCount(text)).toBe(count);
    expect(splitLines(text)).toHaveLength(count);
    expect(lineStarts(text)).toHaveLength(count);
  });

  test("B-15 a carriage return before the newline belongs to the line's terminator, not to its content", () => {
    const text = "a\r\nb\r\nc";
    const lines = splitLines(text);
    expect(lines.map((line) => line.text)).toEqual(["a", "b", "c"]);
    const second = lines[1];
    expect(second).toEqual({ from: 3, to: 4, end: 6, text: "b" });
    expect(text.slice(0, 3) + text.slice(6)).toBe("a\r\nc");
  });

  test("a carriage return anywhere else is part of the content", () => {
    expect(splitLines("a\rb\nc\r").map((line) => line.text)).toEqual(["a\rb", "c\r"]);
  });

  test("lines cover the text without gaps or overlaps", () => {
    fc.assert(
      fc.property(lineish, (text) => {
        const lines = splitLines(text);
        let at = 0;
        for (const line of lines) {
          expect(line.from).toBe(at);
          expect(line.text).toBe(text.slice(line.from, line.to));
          expect(line.text).not.toContain("\n");
          expect(["", "\n", "\r\n"]).toContain(text.slice(line.to, line.end));
          expect(lineFrom(text, line.from)).toEqual(line);
          at = line.end;
        }
        expect(at).toBe(text.length);
        expect(lineCount(text)).toBe(lines.length);
        expect(Array.from(lineStarts(text))).toEqual(lines.map((line) => line.from));
        expect(newlineCount(text)).toBe(text.split("\n").length - 1);
      }),
    );
  });

  test("lineAt finds the line that contains an offset", () => {
    fc.assert(
      fc.property(lineish, fc.nat(), (text, seed) => {
        fc.pre(text.length > 0);
        const offset = seed % text.length;
        const line = splitLines(text)[lineAt(lineStarts(text), offset)];
        expect(line?.from).toBeLessThanOrEqual(offset);
        expect(line?.end).toBeGreaterThan(offset);
      }),
    );
    expect(lineAt(lineStarts(""), 0)).toBe(-1);
    expect(lineAt(lineStarts("a\nb\n"), 4)).toBe(1);
  });

  test.each([
    ["", "\n"],
    ["a\nb", "\n"],
    ["a\r\nb", "\r\n"],
    ["a\r\nb\r\nc\n", "\r\n"],
    ["a\r\nb\n", "\n"],
    ["\r\r\r", "\n"],
  ])("the line end for new lines of %j is %j", (text, expected) => {
    expect(prevailingLineEnd(text)).toBe(expected);
  });

  test("a line's hash is four hex digits of its content and never changes", () => {
    expect(lineHash("")).toBe("1cd9");
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(lineHash(text)).toMatch(/^[0-9a-f]{4}$/);
      }),
    );
    const hashes = new Set(Array.from({ length: 500 }, (_, index) => lineHash(`line ${index}`)));
    expect(hashes.size).toBeGreaterThan(480);
  });
});
