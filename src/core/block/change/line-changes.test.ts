import fc from "fast-check";
import { expect, test } from "vitest";
import { scaled } from "../../../../test/scale.ts";
import { splitLines } from "../../base/lines.ts";
import { lineChanges, type FinalNewline, type LineReplacement } from "./line-changes.ts";
import { applyChanges } from "./text-change.ts";
import { textLines } from "./text-lines.ts";

const line = fc.string({ unit: fc.constantFrom("a", "b", "é", "😀", "😁"), maxLength: 2 });
const lineEnd = fc.constantFrom("\n", "\r\n");
const text = fc
  .tuple(fc.array(line, { maxLength: 6 }), lineEnd, fc.boolean())
  .map(([lines, end, terminated]) => lines.join(end) + (terminated && lines.length > 0 ? end : ""));
const finalNewline = fc.constantFrom<FinalNewline>("keep", "present", "absent");

/** Sorted replacements of a text with `count` lines that do not overlap. */
function replacementsOf(count: number): fc.Arbitrary<readonly LineReplacement[]> {
  return fc
    .array(fc.tuple(fc.nat(count), fc.nat(count), fc.array(line, { maxLength: 3 })), { maxLength: 3 })
    .map((list) => {
      const points = list.flatMap(([a, b]) => [a, b]).toSorted((a, b) => a - b);
      return list.map(([, , lines], index) => ({
        start: points[index * 2] ?? 0,
        end: points[index * 2 + 1] ?? 0,
        lines,
      }));
    });
}

function linesOf(whole: string): readonly string[] {
  return splitLines(whole).map((found) => found.text);
}

test("line replacements give the same lines as splicing a list, and keep the state of the final newline", () => {
  const input = text.chain((whole) =>
    fc.tuple(fc.constant(whole), replacementsOf(linesOf(whole).length), finalNewline),
  );
  fc.assert(
    fc.property(input, ([before, replacements, final]) => {
      const changes = lineChanges(textLines(before), replacements, final);
      const after = applyChanges(before, changes);
      const lines = [...linesOf(before)];
      for (const { start, end, lines: added } of replacements.toReversed()) lines.splice(start, end - start, ...added);
      expect(linesOf(after)).toEqual(lines);
      if (lines.length > 0 && lines.at(-1) !== "") {
        const kept = before === "" || before.endsWith("\n");
        expect(after.endsWith("\n")).toBe(final === "present" || (final === "keep" && kept));
      }
    }),
    { numRuns: scaled(1000) },
  );
});

test("changes are sorted, do not overlap, and split no character", () => {
  const input = text.chain((whole) =>
    fc.tuple(fc.constant(whole), replacementsOf(linesOf(whole).length), finalNewline),
  );
  fc.assert(
    fc.property(input, ([before, replacements, final]) => {
      let at = 0;
      for (const change of lineChanges(textLines(before), replacements, final)) {
        expect(change.from).toBeGreaterThanOrEqual(at);
        expect(change.insert.isWellFormed()).toBe(true);
        expect(before.slice(change.from, change.to).isWellFormed()).toBe(true);
        expect(before.slice(change.from, change.to) === change.insert).toBe(false);
        at = change.to;
      }
    }),
    { numRuns: scaled(1000) },
  );
});

test("replacing a line by a similar one changes only the difference", () => {
  expect(lineChanges(textLines("one\nthe quick fox\n"), [{ start: 1, end: 2, lines: ["the slow fox"] }])).toEqual([
    { from: 8, to: 13, insert: "slow" },
  ]);
});

test("lines replaced one by one keep their own line ends, and new lines get the prevailing one", () => {
  const before = "a\r\nb\nc\r\n";
  const replaced = lineChanges(textLines(before), [{ start: 0, end: 2, lines: ["A", "B"] }]);
  expect(applyChanges(before, replaced)).toBe("A\r\nB\nc\r\n");
  const inserted = lineChanges(textLines(before), [{ start: 1, end: 1, lines: ["x"] }]);
  expect(applyChanges(before, inserted)).toBe("a\r\nx\r\nb\nc\r\n");
});

test.each([
  { start: -1, end: 1 },
  { start: 2, end: 1 },
  { start: 0, end: 3 },
])("a replacement outside the text is a defect of the caller: %j", (range) => {
  expect(() => lineChanges(textLines("one\ntwo\n"), [{ ...range, lines: ["x"] }])).toThrow("lies within the text");
});
