import fc from "fast-check";
import { expect, test } from "vitest";
import { scaled } from "../../../../test/scale.ts";
import { textLines } from "../change/text-lines.ts";
import { createLineFinder } from "./locate.ts";

test("every run of lines is found wherever it occurs, however common its lines are", () => {
  const line = fc.constantFrom("a", "b", "c");
  const texts = fc.oneof(fc.array(line, { maxLength: 30 }), fc.array(line, { minLength: 60, maxLength: 120 }));
  fc.assert(
    fc.property(
      texts,
      fc.array(fc.array(line, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 8 }),
      (text, runs, limit) => {
        // An empty last line would not be a line.
        const finder = createLineFinder(textLines(text.map((one) => `${one}\n`).join("")), () => runs, limit);
        for (const [number, run] of runs.entries()) {
          const places = text.flatMap((_, at) => (run.every((one, index) => text[at + index] === one) ? [at] : []));
          expect(finder.find(number)).toEqual(places.slice(0, limit));
        }
      },
    ),
    { numRuns: scaled(2000) },
  );
});

test("the nearest place is where most of the rare lines are in place", () => {
  const text = Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? "same" : `line ${index}`)).join("\n");
  const wanted = ["line 31", "same", "changed", "same", "line 35"];
  expect(createLineFinder(textLines(text), () => [wanted], 1).nearest(0)).toBe(31);
  const misled = ["line 31", "same", "line 33", "changed", "line 45"];
  expect(createLineFinder(textLines(text), () => [misled], 1).nearest(0)).toBe(31);
  expect(createLineFinder(textLines(text), () => [["same", "x"]], 1).nearest(0)).toBeUndefined();
});
