import { describe, expect, test } from "vitest";
import { searchText, type SearchQuery } from "./search.ts";

const code = "fn main() {\n  a(b);\n}\nfn next() {\n}\n";

function search(text: string, query: Partial<SearchQuery>): ReturnType<typeof searchText> {
  return searchText(text, { query: "", mode: "regex", contextLines: 0, maxMatches: 20, ...query });
}

describe("searching a text", () => {
  test("B-23 an expression finds lines and columns", () => {
    expect(search(code, { query: "fn \\w+" })).toEqual({
      matches: [
        { line: 0, text: "fn main() {", matchStart: 0, matchEnd: 7, context: ["fn main() {"], contextStart: 0 },
        { line: 3, text: "fn next() {", matchStart: 0, matchEnd: 7, context: ["fn next() {"], contextStart: 3 },
      ],
      truncated: false,
    });
  });

  test("B-23 an invalid expression is searched literally, and the answer says so", () => {
    const result = search(code, { query: "a(b" });
    expect(result).toMatchObject({ matches: [{ line: 1, matchStart: 2, matchEnd: 5 }] });
    expect(result.invalidRegex).toBe("Unterminated group");
  });

  test("B-23 no match is an empty list", () => {
    expect(search(code, { query: "absent" })).toEqual({ matches: [], truncated: false });
    expect(search("", { query: "x" })).toEqual({ matches: [], truncated: false });
  });

  test("B-23 at most as many matches as asked for, and whether there are more", () => {
    expect(search("x\nx\nx\n", { query: "x", maxMatches: 2 })).toMatchObject({
      matches: [{ line: 0 }, { line: 1 }],
      truncated: true,
    });
    expect(search("x\nx\nx\n", { query: "x", maxMatches: 3 })).toMatchObject({ truncated: false });
    expect(search("xxx\n", { query: "x", maxMatches: 2, mode: "literal" })).toMatchObject({ truncated: true });
  });

  test("B-24 two matches of one line are two entries, unless lines are asked for", () => {
    expect(search("abab", { query: "ab", mode: "literal" }).matches.map((match) => match.matchStart)).toEqual([0, 2]);
    expect(
      search("abab\nab", { query: "ab", mode: "literal", oncePerLine: true }).matches.map((match) => match.line),
    ).toEqual([0, 1]);
    expect(search("abab", { query: "ab", oncePerLine: true, maxMatches: 1 })).toMatchObject({ truncated: false });
  });

  test("B-24 context ends where the text does", () => {
    const { matches } = search("a\nb\nc", { query: "[ac]", contextLines: 1 });
    expect(matches.map(({ context, contextStart }) => [contextStart, context])).toEqual([
      [0, ["a", "b"]],
      [1, ["b", "c"]],
    ]);
  });

  test("columns count UTF-16 units, and carriage returns are not seen", () => {
    expect(search("😀x\r\n", { query: "x$" })).toMatchObject({ matches: [{ matchStart: 2, matchEnd: 3 }] });
    expect(search("😀", { query: "^.$" })).toMatchObject({ matches: [{ matchStart: 0, matchEnd: 2 }] });
  });

  test("an empty match finds blank lines, and counts once at most", () => {
    expect(search("a\n\nb", { query: "^$" }).matches.map((match) => match.line)).toEqual([1]);
    expect(search("bab", { query: "a*" }).matches).toHaveLength(2);
  });

  test("case counts unless the flag says otherwise", () => {
    expect(search("A", { query: "a" }).matches).toEqual([]);
    expect(search("A", { query: "a", flags: "i" }).matches).toHaveLength(1);
  });

  test("an expression that is too large to compile is searched literally as well", () => {
    const query = `${"a".repeat(5_000_000)}[b]`;
    expect(search("a", { query })).toEqual({
      matches: [],
      truncated: false,
      invalidRegex: "Regular expression too large",
    });
  });

  test("an expression that only the older syntax allows is one", () => {
    expect(search("a-b", { query: "a\\-b" })).toMatchObject({ matches: [{ line: 0 }] });
    expect(search("a-b", { query: "a\\-b" })).not.toHaveProperty("invalidRegex");
  });
});
