import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { must } from "../base/assert.ts";
import { lineHash } from "../base/lines.ts";
import { changeKind, changeKindOfDelta } from "./change-kind.ts";
import { listLines } from "./read-lines.ts";
import { parseRevisionId, revisionId } from "./revision.ts";
import { lengthIn, planSplice, utf16Offset, type OffsetUnit, type Splice } from "./splice.ts";
import { applyChanges, trimChange } from "./text-change.ts";

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

  test("offsets count bytes unless a unit is named", () => {
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

  test("offsets beyond the text are refused with the length", () => {
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

  test("a splice that changes nothing gives no change", () => {
    expect(planSplice("abc", { offset: 1, delete_count: 1, insert: "b" })).toEqual({ ok: true, value: [] });
  });

  test("every unit finds the same character", () => {
    fc.assert(
      fc.property(characters, fc.nat(), (text, seed) => {
        const points = [...text];
        const count = seed % (points.length + 1);
        const before = points.slice(0, count).join("");
        expect(utf16Offset(text, count, "codepoint")).toBe(before.length);
        expect(utf16Offset(text, lengthIn(before, "utf8"), "utf8")).toBe(before.length);
        expect(lengthIn(before, "utf8")).toBe(new TextEncoder().encode(before).length);
      }),
    );
  });
});

test("a trimmed change does the same and begins and ends with a difference", () => {
  fc.assert(
    fc.property(characters, characters, characters, characters, (head, old, insert, tail) => {
      const text = head + old + tail;
      const change = { from: head.length, to: head.length + old.length, insert };
      const trimmed = trimChange(text, change);
      expect(applyChanges(text, trimmed === undefined ? [] : [trimmed])).toBe(head + insert + tail);
      expect(trimmed === undefined).toBe(old === insert);
      if (trimmed === undefined) return;
      const removed = Array.from(text.slice(trimmed.from, trimmed.to));
      const added = Array.from(trimmed.insert);
      if (removed.length > 0 && added.length > 0) {
        expect(removed[0]).not.toBe(added[0]);
        expect(removed.at(-1)).not.toBe(added.at(-1));
      }
      expect(trimmed.insert.isWellFormed()).toBe(true);
    }),
    { numRuns: 500 },
  );
});

describe("how a change is told", () => {
  test.each<readonly [before: string, after: string, type: string]>([
    ["ab", "abc", "appended"],
    ["ab", "axb", "replaced"],
    ["ab", "ax", "replaced"],
    ["", "a", "appended"],
    ["ab", "a", "replaced"],
    ["ab", "ab", "unchanged"],
  ])("B-27 %j to %j is %s", (before, after, type) => {
    expect(changeKind(before, after).type).toBe(type);
  });

  test("B-27 a splice at the end is an append, one that keeps the length is still a change", () => {
    const end = planSplice("ab", { offset: 2, delete_count: 0, insert: "c" });
    expect(end.ok && changeKindOfDelta(2, end.value)).toEqual({ type: "appended", text: "c" });
    const same = planSplice("ab", { offset: 0, delete_count: 1, insert: "x" });
    expect(same.ok && changeKindOfDelta(2, same.value)).toEqual({ type: "replaced" });
    expect(changeKindOfDelta(2, [])).toEqual({ type: "unchanged" });
  });

  test("texts and changes tell the same", () => {
    fc.assert(
      fc.property(characters, fc.nat(), characters, (text, seed, insert) => {
        const offset = seed % ([...text].length + 1);
        const plan = planSplice(text, { offset, delete_count: 0, insert, unit: "codepoint" });
        const changes = must(plan.ok ? plan.value : undefined, "the offset is in range");
        const byTexts = changeKind(text, applyChanges(text, changes));
        const byDelta = changeKindOfDelta(text.length, changes);
        // An insertion before a repetition of itself may be told either way; the texts decide for the better.
        if (byDelta.type !== "replaced") expect(byDelta).toEqual(byTexts);
        else expect(byTexts.type).not.toBe("unchanged");
      }),
    );
  });
});

describe("listing lines", () => {
  const text = "a\r\n\r\nc";
  const list = (
    range: { start: number; end: number } | undefined,
    prefix: "none" | "number" | "anchor",
    base: 0 | 1,
  ): unknown => {
    const listing = listLines(text, range, { prefix, base });
    return listing.ok ? listing.value : { code: listing.error.code, ...listing.error.details };
  };

  test("B-15 lines are numbered as their family counts, without carriage returns", () => {
    expect(list(undefined, "number", 0)).toEqual({ content: "0→a\n1→\n2→c", start: 0, end: 3, lineCount: 3 });
    expect(list(undefined, "number", 1)).toMatchObject({ content: "1→a\n2→\n3→c" });
    expect(list(undefined, "none", 0)).toMatchObject({ content: "a\n\nc" });
  });

  test("anchors are those that edits take", () => {
    expect(list({ start: 2, end: 3 }, "anchor", 0)).toMatchObject({ content: `2:${lineHash("c")}→c` });
  });

  test("an end beyond the text means its end; a start beyond it, or behind the end, is refused", () => {
    expect(list({ start: 1, end: 99 }, "none", 0)).toEqual({ content: "\nc", start: 1, end: 3, lineCount: 3 });
    expect(list({ start: 3, end: 3 }, "none", 0)).toMatchObject({ content: "", start: 3, end: 3 });
    expect(list({ start: 4, end: 5 }, "none", 0)).toEqual({ code: "LINE_OUT_OF_RANGE", requested: 4, max: 3 });
    expect(list({ start: 2, end: 1 }, "none", 0)).toMatchObject({ code: "INVALID_PARAMS" });
  });
});

test("a revision id holds the version and the text's hash, and is read back", () => {
  expect(revisionId(7, "abc")).toBe("7-ba7816bf");
  expect(parseRevisionId("7-ba7816bf")).toEqual({ version: 7, hash: "ba7816bf" });
  for (const wrong of ["", "7", "7-ba7816b", "7-BA7816BF", "-7-ba7816bf", "7-ba7816bf0"])
    expect(parseRevisionId(wrong)).toBeUndefined();
});
