import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyChanges } from "./text-change.ts";
import { threeWay } from "./three-way.ts";
import { unionMerge } from "./union-merge.ts";

describe("unionMerge", () => {
  test.each([
    ["one line, changed in two ways", "one\n", "ours\n", "theirs\n", "ours\ntheirs\n"],
    ["the last line, without an end", "one", "ours", "theirs", "ours\ntheirs"],
    ["far apart", "a\nb\nc\nd\n", "A\nb\nc\nd\n", "a\nb\nc\nD\n", "A\nb\nc\nD\n"],
    ["next to each other", "a\nb\nc\n", "A\nb\nc\n", "a\nB\nc\n", "A\nb\na\nB\nc\n"],
    ["the same on both", "a\n", "b\n", "b\n", "b\n"],
    ["deleted here, changed there", "a\nb\nc\n", "a\nc\n", "a\nB\nc\n", "a\nB\nc\n"],
    ["inserted at one place", "a\nc\n", "a\nmine\nc\n", "a\nyours\nc\n", "a\nmine\nyours\nc\n"],
    ["an unknown base", null, "a\nmine\nz\n", "a\nyours\nz\n", "a\nmine\nyours\nz\n"],
    ["an unknown base and nothing in common", null, "mine\n", "yours", "mine\nyours"],
  ])("%s", (_name, base, ours, theirs, merged) => {
    expect(unionMerge(base, ours, theirs)).toBe(merged);
  });

  test("merges texts with more lines than a call accepts arguments", () => {
    const many = "line\n".repeat(200_000);
    expect(unionMerge(many, `${many}ours\n`, `theirs\n${many}`)).toBe(`theirs\n${many}ours\n`);
    expect(unionMerge(null, `${many}ours\n`, many)).toBe(`${many}ours\n`);
    expect(unionMerge("", many, "")).toBe(many);
  });

  const line = fc.constantFrom("a\n", "b\n", "c\n", "long line\n", "\n");
  const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.join(""));

  test("contains every line that a side wrote, and equals the three-way merge where nothing conflicts", () => {
    fc.assert(
      fc.property(text, text, text, (base, ours, theirs) => {
        const merged = unionMerge(base, ours, theirs);
        const plain = threeWay(base, ours, theirs);
        if (plain.type === "changes" && ours === base) expect(merged).toBe(applyChanges(base, plain.changes));
        if (theirs === base) expect(merged).toBe(ours);
        const lines = new Set(merged.split("\n"));
        const kept = new Set(base.split("\n"));
        for (const side of [ours, theirs])
          for (const written of side.split("\n")) if (!kept.has(written)) expect(lines).toContain(written);
      }),
    );
  });

  test("is missing nothing of either side when the base is unknown", () => {
    fc.assert(
      fc.property(text, text, (ours, theirs) => {
        const merged = unionMerge(null, ours, theirs);
        expect(isWithin(ours, merged) && isWithin(theirs, merged)).toBe(true);
      }),
    );
  });
});

/** Whether the lines of a text occur in another, in order. */
function isWithin(text: string, whole: string): boolean {
  const lines = whole.split("\n");
  let at = 0;
  for (const line of text.split("\n").filter((each) => each !== "")) {
    at = lines.indexOf(line, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
