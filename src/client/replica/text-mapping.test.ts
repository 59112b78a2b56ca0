import fc from "fast-check";
import { expect, test } from "vitest";
import type { TextChange } from "../../core/text/types.ts";
import { applyChanges, inSteps, invert, mapOffset, rebase, replacement } from "./text-mapping.ts";

const text = fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "\u{1f600}"), maxLength: 12 });

/** Sorted changes of a text that do not overlap. */
function changesOf(base: string): fc.Arbitrary<readonly TextChange[]> {
  const cut = fc.nat({ max: base.length });
  return fc.array(fc.tuple(cut, cut, fc.constantFrom("", "x", "yy")), { maxLength: 3 }).map((cuts) => {
    const sorted = cuts
      .map(([a, b, insert]) => ({ from: Math.min(a, b), to: Math.max(a, b), insert }))
      .toSorted((a, b) => a.from - b.from);
    const kept: TextChange[] = [];
    for (const change of sorted) {
      const last = kept.at(-1);
      if (last === undefined || change.from > last.to) kept.push(change);
    }
    return kept;
  });
}

const changed = text.chain((base) => fc.tuple(fc.constant(base), changesOf(base)));

test("replacement turns one text into the other and splits no surrogate pair", () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const changes = replacement(before, after);
      expect(applyChanges(before, changes)).toBe(after);
      for (const { from, to, insert } of changes) {
        expect(before.slice(0, from).isWellFormed()).toBe(true);
        expect(before.slice(to).isWellFormed()).toBe(true);
        expect(insert.isWellFormed()).toBe(true);
      }
    }),
  );
});

test("invert reverses changes", () => {
  fc.assert(
    fc.property(changed, ([base, changes]) => {
      expect(applyChanges(applyChanges(base, changes), invert(base, changes))).toBe(base);
    }),
  );
});

test("rebase gives changes that fit the other text and insert the same words", () => {
  const both = text.chain((base) => fc.tuple(fc.constant(base), changesOf(base), changesOf(base)));
  fc.assert(
    fc.property(both, ([base, own, over]) => {
      const other = applyChanges(base, over);
      const rebased = rebase(own, over);
      let last = 0;
      for (const { from, to } of rebased) {
        expect(from).toBeGreaterThanOrEqual(last);
        expect(to).toBeGreaterThanOrEqual(from);
        expect(to).toBeLessThanOrEqual(other.length);
        last = to;
      }
      expect(rebased.map((change) => change.insert)).toEqual(own.map((change) => change.insert));
    }),
  );
});

test.each([
  ["an insertion before it moves it", 10, [{ from: 5, to: 5, insert: "abc" }], 13],
  ["an insertion after it does not move it", 10, [{ from: 20, to: 20, insert: "abc" }], 10],
  ["a deletion around it moves it to the start of the deletion", 10, [{ from: 8, to: 12, insert: "" }], 8],
])("B-36 a cursor at 10: %s", (_name, offset, changes, expected) => {
  expect(mapOffset(offset, changes, "before")).toBe(expected);
});

test("inSteps gives steps that make the same text and each insert at most the limit", () => {
  fc.assert(
    fc.property(changed, fc.integer({ min: 2, max: 4 }), ([base, changes], unitsMax) => {
      const steps = inSteps(changes, unitsMax);
      expect(steps.reduce(applyChanges, base)).toBe(applyChanges(base, changes));
      if (steps.length > 1) for (const [step] of steps) expect(step?.insert.length).toBeLessThanOrEqual(unitsMax);
    }),
  );
});

test("inSteps does not split a surrogate pair", () => {
  const steps = inSteps([{ from: 0, to: 0, insert: "a\u{1f600}\u{1f600}b" }], 2);
  for (const [step] of steps) expect(step?.insert.isWellFormed()).toBe(true);
  expect(steps.reduce(applyChanges, "")).toBe("a\u{1f600}\u{1f600}b");
});
