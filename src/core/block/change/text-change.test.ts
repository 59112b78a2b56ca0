import fc from "fast-check";
import { expect, test } from "vitest";
import { scaled } from "../../../../test/scale.ts";
import { applyChanges, trimChange } from "./text-change.ts";

const characters = fc.string({ unit: fc.constantFrom("a", "é", "日", "😀", "😁", "\n") });

test("a change between two characters with an equal second half replaces the whole character", () => {
  expect(trimChange("a\u{1f600}b", { from: 0, to: 4, insert: "a\u{1fa00}b" })).toEqual({
    from: 1,
    to: 3,
    insert: "\u{1fa00}",
  });
});

test("a trimmed change has the same effect and begins and ends with a difference", () => {
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
    { numRuns: scaled(500) },
  );
});
