import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planReplacements, type Replacement } from "./replace-text.ts";
import { applyChanges } from "../change/text-change.ts";

const text = "one\ntwo\n\nthree\ntwo\nlast";

function replaced(from: string, ...replacements: readonly (readonly [string, string])[]): string {
  const planned = planReplacements(
    from,
    replacements.map(([search, replace]): Replacement => ({ search, replace })),
  );
  if (!planned.ok) return `${planned.error.code}: ${planned.error.message}`;
  return applyChanges(from, planned.value);
}

describe("a replacement", () => {
  test.each([
    ["a word", [["three", "3"]], "one\ntwo\n\n3\ntwo\nlast"],
    ["lines, distinguished by their neighbours", [["three\ntwo", "three\n2"]], "one\ntwo\n\nthree\n2\nlast"],
    [
      "several passages of the original text",
      [
        ["last", "one"],
        ["one\n", ""],
      ],
      "two\n\nthree\ntwo\none",
    ],
    ["a deletion", [["\n\nthree", ""]], "one\ntwo\ntwo\nlast"],
    ["a replacement that changes nothing", [["three", "three"]], text],
  ] as const)("changes %s", (_name, replacements, after) => {
    expect(replaced(text, ...replacements)).toBe(after);
  });

  test.each([
    ["twice, with the lines", text, "two", ["CONTENT_MISMATCH", "more than once (lines 2, 5)", "Nothing was changed"]],
    ["overlapping itself", "aaa", "aa", ["more than once (lines 1, 1)"]],
    ["nowhere, with the actual text", text, "three\ntow", ['at line 5 the file says "two", not "tow"']],
    ["with other spaces", "  a\n\tb\n", "  a\n  b", ['at line 2 the file says "\\tb", not "  b"']],
    ["nowhere at all", text, "seven", ["read the file again"]],
  ])("is refused when its passage occurs %s", (_name, from, search, expected) => {
    for (const words of expected) expect(replaced(from, [search, ""])).toContain(words);
  });

  test("is refused with all others when one is wrong, and each wrong one is named", () => {
    const refused = replaced(text, ["last", "x"], ["two", "x"], ["nine", "x"]);
    expect(refused).toMatch(/^CONTENT_MISMATCH.*replacement 2 .*replacement 3 /s);
  });

  test("is refused with the nearest place of each of very many passages, without a pass over a long text for each", () => {
    const lines = Array.from({ length: 200_000 }, (_, line) => `line ${line}`);
    const passages = Array.from({ length: 200 }, (_, at) => `line ${at * 7}\nline ${at * 7 + 1}\nanother ${at}`);
    const planned = planReplacements(
      lines.join("\r\n"),
      passages.map((search) => ({ search, replace: "" })),
    );
    expect(planned.ok ? null : planned.error.details?.["mistakes"]).toEqual(
      passages.map((_passage, at) => {
        const nearest = { line: at * 7 + 3, expected: `another ${at}`, actual: `line ${at * 7 + 2}` };
        return { replacement: at + 1, lines: [], nearest };
      }),
    );
  });

  test("is refused when two touch the same text", () => {
    expect(replaced(text, ["three\ntwo", "x"], ["two\nlast", "y"])).toMatch(/^OVERLAPPING_OPERATIONS/);
    expect(replaced(text, ["three\n", "x"], ["two\nlast", "y"])).toBe("one\ntwo\n\nxy");
  });

  test("keeps the line ends of the text", () => {
    expect(replaced("a\r\nb\r\nc\r\n", ["a\nb", "1\n2\n3"])).toBe("1\r\n2\r\n3\r\nc\r\n");
    expect(replaced("a\r\nb\nc\n", ["b\nc", "1\n2"])).toBe("a\r\n1\n2\n");
    expect(replaced("a\r\nb\r\n", ["b", "1\n2"])).toBe("a\r\n1\r\n2\r\n");
    expect(replaced("a\r\nb\n", ["b", "1\n2"])).toBe("a\r\n1\n2\n");
  });

  test("of a passage that occurs once gives the same text as a plain replacement", () => {
    const letter = fc.constantFrom("a", "b", "\n", "é", "😀");
    fc.assert(
      fc.property(fc.array(letter), fc.array(letter, { minLength: 1 }), fc.array(letter), (all, search, replace) => {
        const [from, what, by] = [all.join(""), search.join(""), replace.join("")];
        const once = from.indexOf(what) !== -1 && from.indexOf(what) === from.lastIndexOf(what);
        const planned = planReplacements(from, [{ search: what, replace: by }]);
        expect(planned.ok).toBe(once);
        if (planned.ok) expect(applyChanges(from, planned.value)).toBe(from.split(what).join(by));
      }),
    );
  });
});
