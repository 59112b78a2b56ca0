import fc from "fast-check";
import { expect, test } from "vitest";
import { scaled } from "../../../test/scale.ts";
import { SmallMap } from "./small-map.ts";

test("16.9 a small map answers as a Map does", () => {
  const key = fc.integer({ min: 0, max: 3 });
  const act = fc.oneof(
    fc.record({ type: fc.constant("set" as const), key, value: fc.integer() }),
    fc.record({ type: fc.constantFrom("delete" as const, "clear" as const), key, value: fc.constant(0) }),
  );
  fc.assert(
    fc.property(fc.array(act, { maxLength: 20 }), (acts) => {
      const small = new SmallMap<number, number>();
      const map = new Map<number, number>();
      for (const { type, key: at, value } of acts) {
        if (type === "set") {
          small.set(at, value);
          map.set(at, value);
        } else if (type === "delete") expect(small.delete(at)).toBe(map.delete(at));
        else {
          small.clear();
          map.clear();
        }
        expect([small.size, small.entries(), small.values()]).toEqual([map.size, [...map], [...map.values()]]);
        for (const asked of [0, 1, 2, 3]) {
          expect([small.has(asked), small.get(asked)]).toEqual([map.has(asked), map.get(asked)]);
        }
      }
    }),
    { numRuns: scaled(300) },
  );
});
