import fc from "fast-check";
import { expect, test } from "vitest";
import { UnitList } from "./unit-list.ts";

const steps = fc.array(
  fc.record({ at: fc.nat(), count: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 2_000 })) }),
  { minLength: 1, maxLength: 40 },
);

test("a list of units is the same as an array after any insertions and deletions", () => {
  fc.assert(
    fc.property(fc.nat(3_000), fc.array(fc.tuple(fc.boolean(), steps), { maxLength: 4 }), (length, parts) => {
      const list = new UnitList(length);
      const model = Array.from({ length }, (_, unit) => unit);
      let next = length;
      for (const [inserts, edits] of parts) {
        for (const { at: place, count } of edits) {
          const at = place % (model.length + 1);
          if (inserts) {
            expect(list.insert(at, next, count)).toBe(model[at - 1] ?? -1);
            model.splice(at, 0, ...Array.from({ length: count }, (_, index) => next + index));
            next += count;
          } else {
            const taken: number[] = [];
            const removed = Math.min(count, model.length - at);
            list.remove(at, removed, (unit) => taken.push(unit));
            expect(taken).toEqual(model.splice(at, removed));
          }
          expect(list.length).toBe(model.length);
          if (model.length > 0) expect(list.at(place % model.length)).toBe(model[place % model.length]);
        }
      }
      expect([...list.all()]).toEqual(model);
    }),
  );
});
