import { ChangeSet, Text } from "@codemirror/state";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { betweenCharacters, carriedPast, changeSet, listContinuation, textChanges } from "./edit-changes.ts";

const base = "the loom keeps every thread";
const document = Text.of([base]);

const change = fc
  .array(
    fc.tuple(
      fc.integer({ min: 0, max: base.length }),
      fc.integer({ min: 0, max: 6 }),
      fc.string({ maxLength: 5, unit: "grapheme-ascii" }),
    ),
    { maxLength: 4 },
  )
  .map((parts) => {
    let end = -1;
    const list = [];
    for (const [at, length, insert] of parts.toSorted((a, b) => a[0] - b[0])) {
      if (at <= end) continue;
      end = Math.min(base.length, at + length);
      list.push({ from: at, to: end, insert });
    }
    return changeSet(list, base.length);
  });

describe("local and remote changes", () => {
  test("carriedPast gives one text, whichever change is applied first", () => {
    fc.assert(
      fc.property(change, change, (typed, came) => {
        const carried = carriedPast(typed, came);
        const editor = carried.came.apply(typed.apply(document)).toString();
        const replica = carried.typed.apply(came.apply(document)).toString();
        expect(editor).toBe(replica);
      }),
    );
  });

  test("a change converts to the replica's form and back unchanged", () => {
    fc.assert(
      fc.property(change, (typed) => {
        expect(changeSet(textChanges(typed), base.length).apply(document).toString()).toBe(
          typed.apply(document).toString(),
        );
      }),
    );
  });
});

describe("surrogate pairs", () => {
  const emoji = Text.of(["a😀b"]);

  test("betweenCharacters extends a change of the second half to the whole character", () => {
    const half = ChangeSet.of({ from: 2, to: 3, insert: "\uDE01" }, emoji.length);
    const whole = betweenCharacters(half, emoji);
    expect(whole && textChanges(whole)).toEqual([{ from: 1, to: 3, insert: "😁" }]);
  });

  test("betweenCharacters keeps a change between characters", () => {
    expect(betweenCharacters(ChangeSet.of({ from: 1, to: 3, insert: "x" }, emoji.length), emoji)).toBeNull();
  });

  test("betweenCharacters replaces a pasted half character with the replacement character", () => {
    const fixed = betweenCharacters(ChangeSet.of({ from: 0, insert: "\uD83D" }, emoji.length), emoji);
    expect(fixed?.apply(emoji).toString()).toBe("\uFFFDa😀b");
  });
});

test.each([
  ["- one", "- "],
  ["  * one", "  * "],
  ["3. three", "4. "],
  ["> 9) nine", "> 10) "],
  ["- [x] done", "- [ ] "],
  ["- ", ""],
  ["plain", null],
  ["2026 was", null],
])("listContinuation after %j gives %j", (line, expected) => {
  expect(listContinuation(line)).toBe(expected);
});
