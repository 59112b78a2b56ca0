import fc from "fast-check";
import { expect, test } from "vitest";
import { scaled } from "../../../../test/scale.ts";
import { applyChanges, trimChange } from "./text-change.ts";

const characters = fc.string({ unit: fc.constantFrom("a", "é", "日", "😀", "😁", "\n") });

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
