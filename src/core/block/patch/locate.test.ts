import fc from "fast-check";
import { expect, test } from "vitest";
import { createLineFinder } from "./locate.ts";

test("a run of lines is found wherever it stands, however common its lines are", () => {
  const line = fc.constantFrom("a", "b");
  const texts = fc.oneof(fc.array(line, { maxLength: 30 }), fc.array(line, { minLength: 60, maxLength: 120 }));
  fc.assert(
    fc.property(
      texts,
      fc.array(line, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 8 }),
      (text, wanted, limit) => {
        const finder = createLineFinder(text.join("\n"), () => wanted);
        const places = text.flatMap((_, at) => (wanted.every((one, index) => text[at + index] === one) ? [at] : []));
        expect(finder.find(wanted, limit)).toEqual(places.slice(0, limit));
      },
    ),
    { numRuns: 1000 },
  );
});

test("the nearest place is where most of the rare lines are in theirs", () => {
  const text = Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? "same" : `line ${index}`)).join("\n");
  const wanted = ["line 31", "same", "changed", "same", "line 35"];
  expect(createLineFinder(text, () => wanted).nearest(wanted)).toBe(31);
  expect(createLineFinder(text, () => ["same", "x"]).nearest(["same", "x"])).toBeUndefined();
});
