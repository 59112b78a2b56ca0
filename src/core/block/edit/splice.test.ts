import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lengthIn, planSplice, utf16Offset, type OffsetUnit, type Splice } from "./splice.ts";
import { applyChanges } from "../change/text-change.ts";

function spliced(text: string, splice: Splice): unknown {
  const plan = planSplice(text, splice);
  return plan.ok ? applyChanges(text, plan.value) : { code: plan.error.code, ...plan.error.details };
}

const characters = fc.string({ unit: fc.constantFrom("a", "é", "日", "😀", "😁", "\n") });

describe("splice", () => {
  test.each<readonly [unit: OffsetUnit, offset: number]>([
    ["utf8", 7],
    ["codepoint", 6],
    ["utf16", 6],
  ])("B-02 the second line of héllo, wörld begins at %s %d", (unit, offset) => {
    expect(utf16Offset("héllo\nwörld\n", offset, unit)).toBe(6);
    expect(spliced("héllo\nwörld\n", { offset, delete_count: 1, insert: "W", unit })).toBe("héllo\nWörld\n");
  });

  test("offsets count bytes by default", () => {
    expect(spliced("日本", { offset: 3, delete_count: 3, insert: "x" })).toBe("日x");
  });

  test("B-02 an offset inside a character is refused in every unit", () => {
    expect(spliced("é", { offset: 1, delete_count: 0, insert: "x" })).toEqual({
      code: "OFFSET_OUT_OF_RANGE",
      requested: 1,
      max: 2,
      unit: "utf8",
    });
    expect(spliced("😀", { offset: 0, delete_count: 1, unit: "utf16" })).toMatchObject({
      code: "OFFSET_OUT_OF_RANGE",
      requested: 1,
      max: 2,
    });
    expect(spliced("😀", { offset: 1, delete_count: 0, insert: "x", unit: "codepoint" })).toBe("😀x");
  });

  test("a carriage return alone can be deleted; no other change ends inside a line end", () => {
    expect(spliced("a\r\nb", { offset: 1, delete_count: 1 })).toBe("a\nb");
    const inside = { code: "OFFSET_OUT_OF_RANGE", unit: "utf8", requested: 2, inside: "\\r\\n" };
    expect(spliced("a\r\nb", { offset: 0, delete_count: 2 })).toEqual(inside);
    expect(spliced("a\r\nb", { offset: 2, delete_count: 1 })).toEqual(inside);
  });

  test("offsets past the end of the text are refused with the length", () => {
    expect(spliced("héllo", { offset: 7, delete_count: 0 })).toMatchObject({
      code: "OFFSET_OUT_OF_RANGE",
      requested: 7,
      max: 6,
    });
    expect(spliced("héllo", { offset: 5, delete_count: 2 })).toMatchObject({
      code: "OFFSET_OUT_OF_RANGE",
      requested: 7,
      max: 6,
    });
    expect(spliced("a", { offset: -1, delete_count: 1 })).toMatchObject({ code: "OFFSET_OUT_OF_RANGE" });
  });

  test("a splice that changes nothing returns no change", () => {
    expect(planSplice("abc", { offset: 1, delete_count: 1, insert: "b" })).toEqual({ ok: true, value: [] });
  });

  test("every unit finds the same character", () => {
    fc.assert(
      fc.property(characters, fc.nat(), (text, seed) => {
        const points = Array.from(text);
        const count = seed % (points.length + 1);
        const before = points.slice(0, count).join("");
        expect(utf16Offset(text, count, "codepoint")).toBe(before.length);
        expect(utf16Offset(text, lengthIn(before, "utf8"), "utf8")).toBe(before.length);
        expect(lengthIn(before, "utf8")).toBe(new TextEncoder().encode(before).length);
      }),
    );
  });
});

test("half a pair of surrogates is a character of its own", () => {
  const lengths = ["\ud800a", "a\udc00", "\udc00\ud800", "\ud83d\ude00"].map((text) => lengthIn(text, "codepoint"));
  expect(lengths).toEqual([2, 2, 2, 1]);
});
