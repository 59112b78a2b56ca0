import fc from "fast-check";
import { expect, test } from "vitest";
import { within } from "./undo-units.ts";

test("units are within spans exactly when one of the spans contains them all, in whatever order the spans are", () => {
  const span = fc.record({ lv: fc.nat(30), length: fc.integer({ min: 1, max: 8 }) });
  fc.assert(
    fc.property(fc.array(span, { maxLength: 8 }), fc.nat(35), fc.integer({ min: 1, max: 8 }), (spans, lv, length) => {
      const plainly = spans.some((one) => one.lv <= lv && lv + length <= one.lv + one.length);
      expect(within(spans)(lv, length)).toBe(plainly);
    }),
  );
});
