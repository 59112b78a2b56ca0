import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { must } from "../base/assert.ts";
import { changeKind, changeKindOfDelta } from "./change-kind.ts";
import { planSplice } from "./edit/splice.ts";
import { applyChanges } from "./change/text-change.ts";

const characters = fc.string({ unit: fc.constantFrom("a", "é", "日", "😀", "😁", "\n") });

describe("changeKind", () => {
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

  test("B-27 a splice at the end is an append, and a splice that keeps the length is still a change", () => {
    const end = planSplice("ab", { offset: 2, delete_count: 0, insert: "c" });
    expect(end.ok && changeKindOfDelta(2, end.value)).toEqual({ type: "appended", text: "c" });
    const same = planSplice("ab", { offset: 0, delete_count: 1, insert: "x" });
    expect(same.ok && changeKindOfDelta(2, same.value)).toEqual({ type: "replaced" });
    expect(changeKindOfDelta(2, [])).toEqual({ type: "unchanged" });
  });

  test("the kind computed from texts equals the kind computed from changes", () => {
    fc.assert(
      fc.property(characters, fc.nat(), characters, (text, seed, insert) => {
        const offset = seed % (Array.from(text).length + 1);
        const plan = planSplice(text, { offset, delete_count: 0, insert, unit: "codepoint" });
        const changes = must(plan.ok ? plan.value : undefined, "the offset is in range");
        const byTexts = changeKind(text, applyChanges(text, changes));
        const byDelta = changeKindOfDelta(text.length, changes);
        // An insertion before a repetition of itself may be reported either way; the comparison of texts decides.
        if (byDelta.type !== "replaced") expect(byDelta).toEqual(byTexts);
        else expect(byTexts.type).not.toBe("unchanged");
      }),
    );
  });
});
