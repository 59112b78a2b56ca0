import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scaled } from "../../../../test/scale.ts";
import { splitLines } from "../../base/lines.ts";
import { lineWisePattern } from "./line-wise-regex.ts";
import { searchText, type SearchQuery } from "./search.ts";

const code = "fn main() {\n  a(b);\n}\nfn next() {\n}\n";

function search(text: string, query: Partial<SearchQuery>): ReturnType<typeof searchText> {
  return searchText(text, { query: "", mode: "regex", contextLines: 0, maxMatches: 20, ...query });
}

describe("searching a text", () => {
  test("B-23 a regular expression finds lines and columns", () => {
    const columns = { textStart: 0, matchStart: 0, matchEnd: 7, isCut: false };
    expect(search(code, { query: "fn \\w+" })).toEqual({
      matches: [
        { ...columns, line: 0, text: "fn main() {", context: ["fn main() {"], contextStart: 0 },
        { ...columns, line: 3, text: "fn next() {", context: ["fn next() {"], contextStart: 3 },
      ],
      truncated: false,
    });
  });

  test("B-23 an invalid expression is searched literally, and the answer says so", () => {
    const result = search(code, { query: "a(b" });
    expect(result).toMatchObject({ matches: [{ line: 1, matchStart: 2, matchEnd: 5 }] });
    expect(result.invalidRegex).toBe("Unterminated group");
  });

  test("B-23 a search without a match returns an empty list", () => {
    expect(search(code, { query: "absent" })).toEqual({ matches: [], truncated: false });
    expect(search("", { query: "x" })).toEqual({ matches: [], truncated: false });
  });

  test("B-23 a search returns at most the requested number of matches, and whether there are more", () => {
    expect(search("x\nx\nx\n", { query: "x", maxMatches: 2 })).toMatchObject({
      matches: [{ line: 0 }, { line: 1 }],
      truncated: true,
    });
    expect(search("x\nx\nx\n", { query: "x", maxMatches: 3 })).toMatchObject({ truncated: false });
    expect(search("xxx\n", { query: "x", maxMatches: 2, mode: "literal" })).toMatchObject({ truncated: true });
  });

  test("B-24 two matches in one line are two entries, unless lines are requested", () => {
    expect(search("abab", { query: "ab", mode: "literal" }).matches.map((match) => match.matchStart)).toEqual([0, 2]);
    expect(
      search("abab\nab", { query: "ab", mode: "literal", oncePerLine: true }).matches.map((match) => match.line),
    ).toEqual([0, 1]);
    expect(search("abab", { query: "ab", oncePerLine: true, maxMatches: 1 })).toMatchObject({ truncated: false });
  });

  test("B-24 context ends at the ends of the text", () => {
    const { matches } = search("a\nb\nc", { query: "[ac]", contextLines: 1 });
    expect(matches.map(({ context, contextStart }) => [contextStart, context])).toEqual([
      [0, ["a", "b"]],
      [1, ["b", "c"]],
    ]);
  });

  test("columns count UTF-16 units, and carriage returns are ignored", () => {
    expect(search("😀x\r\n", { query: "x$" })).toMatchObject({ matches: [{ matchStart: 2, matchEnd: 3 }] });
    expect(search("😀", { query: "^.$" })).toMatchObject({ matches: [{ matchStart: 0, matchEnd: 2 }] });
  });

  test.each([
    ["[^a]$", "😀", [0, 2]],
    ["[^\\-a]{2}$", ".😀", [0, 3]],
    ["(?:x?[^a])$", "\rx😀\r\n", [1, 4]],
    ["[\\s\\S]?b$", "😀b", [0, 3]],
    ["(?<sign>[^a])(?:$)", "b\ud83d\ude00", [1, 3]],
  ] as const)("%s finds the end of %j, whose last characters are two units long", (query, text, span) => {
    const [found] = search(text, { query, flags: "u" }).matches;
    expect([found?.matchStart, found?.matchEnd]).toEqual(span);
  });

  test("the error of an invalid expression quotes the original expression", () => {
    expect(search("a$)|(?:b", { query: "a$)|(?:b" })).toMatchObject({
      matches: [{ matchStart: 0, matchEnd: 8 }],
      invalidRegex: "Unmatched ')'",
    });
  });

  test("a line separator (U+2028) ends no line, for an expression neither", () => {
    const { matches, truncated } = search("a\u2028a\nb\n", { query: "^a?" });
    expect(matches.map(({ line, matchStart, matchEnd }) => [line, matchStart, matchEnd])).toEqual([
      [0, 0, 1],
      [1, 0, 0],
    ]);
    expect(truncated).toBe(false);
  });

  test("an empty match finds blank lines, and counts at most once per line", () => {
    expect(search("a\n\nb", { query: "^$" }).matches.map((match) => match.line)).toEqual([1]);
    expect(search("bab", { query: "a*" }).matches).toHaveLength(2);
  });

  test("case matters unless the flag says otherwise", () => {
    expect(search("A", { query: "a" }).matches).toEqual([]);
    expect(search("A", { query: "a", flags: "i" }).matches).toHaveLength(1);
  });

  test("an expression that is too large to compile is searched literally", () => {
    const query = `${"a".repeat(5_000_000)}[b]`;
    expect(search("a", { query })).toEqual({
      matches: [],
      truncated: false,
      invalidRegex: "Regular expression too large",
    });
  });

  test("an expression that only the older syntax allows is compiled", () => {
    expect(search("a-b", { query: "a\\-b" })).toMatchObject({ matches: [{ line: 0 }] });
    expect(search("a-b", { query: "a\\-b" })).not.toHaveProperty("invalidRegex");
  });
});

describe("a long line", () => {
  test("is shown around its match, and its neighbours from their beginnings", () => {
    const long = `${"a".repeat(5_000)}needle${"b".repeat(5_000)}`;
    const { matches } = search(`${long}\n${long}\nshort\n`, { query: "needle", contextLines: 1, maxMatches: 1 });
    expect(matches).toEqual([
      {
        line: 0,
        text: `${"a".repeat(250)}needle${"b".repeat(744)}`,
        textStart: 4_750,
        matchStart: 5_000,
        matchEnd: 5_006,
        context: [`${"a".repeat(250)}needle${"b".repeat(744)}`, "a".repeat(1_000)],
        contextStart: 0,
        isCut: true,
      },
    ]);
    const [found] = search(`${long}\nshort`, { query: "short", contextLines: 1 }).matches;
    expect(found).toMatchObject({ text: "short", textStart: 0, context: ["a".repeat(1_000), "short"], isCut: true });
    expect(search("short\nneighbour", { query: "short", contextLines: 1, lineUnitsMax: 9 }).matches).toMatchObject([
      { context: ["short", "neighbour"], isCut: false },
    ]);
    expect(search(long, { query: "needle", lineUnitsMax: 20_000 }).matches).toMatchObject([
      { text: long, isCut: false },
    ]);
  });

  test("is cut between whole characters, and shows where its match begins", () => {
    const sign = fc.constantFrom("a", "😀", "é", "x");
    const line = fc.array(sign, { minLength: 20, maxLength: 60 }).map((signs) => signs.join(""));
    fc.assert(
      fc.property(line, fc.integer({ min: 2, max: 12 }), (text, lineUnitsMax) => {
        for (const match of search(text, { query: "x", lineUnitsMax, maxMatches: 100 }).matches) {
          expect(match.text.isWellFormed()).toBe(true);
          expect(match.text.length).toBeLessThanOrEqual(lineUnitsMax);
          expect(text.startsWith(match.text, match.textStart)).toBe(true);
          expect(match.text.charAt(match.matchStart - match.textStart)).toBe("x");
          expect(match.isCut).toBe(match.text !== text);
        }
      }),
      { numRuns: scaled(500) },
    );
  });
});

/** Line, start and end of every match, found line by line. */
function byLines(text: string, regex: RegExp, oncePerLine: boolean): readonly (readonly number[])[] {
  return splitLines(text).flatMap((line, index) => {
    const [first, ...rest] = [...line.text.matchAll(regex)];
    if (first === undefined) return [];
    const matches = oncePerLine ? [first] : [first, ...rest.filter((match) => match[0] !== "")];
    return matches.map((match) => [index, match.index, match.index + match[0].length]);
  });
}

describe("a search of the whole text finds the same as a search of each line", () => {
  const atom = fc.constantFrom(
    "a",
    "b",
    ".",
    "\\s",
    "\\S",
    "\\w",
    "\\W",
    "\\d",
    "\\D",
    "\\b",
    "\\B",
    "^",
    "$",
    "[ab]",
    "[^a]",
    "[^-a]",
    "[^]",
    "[\\s\\S]",
    "[\\w.]",
    "[\\W]",
    "(?=a)",
    "(?!b)",
    "(?<=a)",
    "(?<!\\s)",
    "(?=$)",
    "\\t",
    " ",
    "😀",
    "\\p{L}",
    "\\P{L}",
    "\\x0a",
    "\\u000A",
    "\\n",
    "\\cJ",
    "(?s:.)",
    "(?i:A)",
    "\\x61",
    "[\\x00-\\x20]",
    "(a|\\s)",
    "(?:^b)",
  );
  const pattern = fc
    .array(fc.tuple(atom, fc.constantFrom("", "", "*", "+", "?", "*?", "{2}")), { minLength: 1, maxLength: 4 })
    .map((parts) =>
      parts.map(([sign, times]) => (/[\\^$][bB]?$|^\(\?[=!<]/.test(sign) ? sign : sign + times)).join(""),
    );
  const text = fc
    .array(fc.constantFrom("a", "b", " ", "\n", "\n", "\r\n", "\r", "\u2028", "A", "1", ".", "😀", "\t"), {
      maxLength: 24,
    })
    .map((parts) => parts.join(""));

  test("for any expression and any text", () => {
    fc.assert(
      fc.property(pattern, text, fc.boolean(), fc.constantFrom("", "i"), (query, within, oncePerLine, flags) => {
        const regex = compiles(query, flags);
        fc.pre(regex !== null);
        const found = search(within, { query, flags, oncePerLine, maxMatches: 1_000, contextLines: 1 });
        expect(found.matches.map((match) => [match.line, match.matchStart, match.matchEnd])).toEqual(
          byLines(within, regex, oncePerLine),
        );
        const lines = splitLines(within).map((line) => line.text);
        for (const match of found.matches) {
          expect(match.text).toBe(lines[match.line]);
          expect(match.context).toEqual(lines.slice(Math.max(0, match.line - 1), match.line + 2));
        }
      }),
      { numRuns: scaled(5_000) },
    );
  });

  test("for any literal text", () => {
    fc.assert(
      fc.property(text, text, (query, within) => {
        fc.pre(query !== "");
        const found = search(within, { query, mode: "literal", maxMatches: 1_000 });
        const regex = new RegExp(query.replaceAll(".", "\\."), "g");
        expect(found.matches.map((match) => [match.line, match.matchStart, match.matchEnd])).toEqual(
          byLines(within, regex, false),
        );
      }),
      { numRuns: scaled(2_000) },
    );
  });

  test("only a pattern that may leave its line is tried line by line", () => {
    for (const inside of ["a\\s+b", "[^x]*", "\\W\\D.", "(?<=a)b$", "\\p{L}", "[\\s\\S]", "(?<name>a)\\k<name>"]) {
      expect(lineWisePattern(inside, true)).not.toBe(null);
    }
    for (const outside of ["a\\nb", "\\x0A", "\\u{a}", "\\cJ", "\\0", "(?s:.)", "a\nb"]) {
      expect(lineWisePattern(outside, true)).toBe(null);
    }
  });
});

/**
 * With a second alternative that matches nothing, because V8 misses some matches that it looks for from the end of the text.
 */
function compiles(pattern: string, flags: string): RegExp | null {
  try {
    return new RegExp(`(?:${new RegExp(pattern, `gu${flags}`).source})|(?!)`, `gu${flags}`);
  } catch {
    return null;
  }
}
