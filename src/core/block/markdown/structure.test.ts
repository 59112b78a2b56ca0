import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scaled } from "../../../../test/scale.ts";
import { markdownParts } from "./structure.ts";

/** Each part in a word, with its first and last line, from 0; `>` before the lines of a part in a quote. */
function parts(text: string): readonly string[] {
  return markdownParts(text).map((part) => {
    const lines = `${part.quoted ? ">" : ""}${part.fromLine}-${part.toLine - 1}`;
    switch (part.kind) {
      case "heading":
        return `h${part.level} ${lines} ${part.title}`;
      case "list-item":
        return `item ${lines}${part.item === undefined ? "" : ` in ${part.item}`} ${part.text}`;
      case "code":
        return `code ${lines} ${part.language}`;
      case "table":
      case "front-matter":
        return `${part.kind} ${lines}`;
    }
  });
}

describe("headings", () => {
  test.each<readonly [name: string, text: string, expected: readonly string[]]>([
    ["one to six marks", "# a\n###### b\n####### c\n", ["h1 0-0 a", "h6 1-1 b"]],
    ["marks need a space", "#a\n#\tb\n#\n", ["h1 1-1 b", "h1 2-2 "]],
    ["closing marks", "## a ##   \n# b #c\n# d \\#\n### ###\n", ["h2 0-0 a", "h1 1-1 b #c", "h1 2-2 d \\#", "h3 3-3 "]],
    ["up to three spaces before the marks", "   # a\n    # b\n", ["h1 0-0 a"]],
    ["an underline", "a\n===\nb\n---\n", ["h1 0-1 a", "h2 2-3 b"]],
    ["an underline below several lines", "a\nb\n  ===  \n", ["h1 0-2 a b"]],
    ["an underline below nothing", "\n===\n\n---\n", []],
    ["a break is not an underline of a quote or an item", "> a\n---\n\n- b\n---\n", ["item 3-3 b"]],
    ["an equals sign after a lazy line is text", "> a\nb\n===\n", []],
    ["dashes with spaces are a break", "a\n- - -\n", []],
    ["other signs than those of a break are text", "a\n+++\nb\n===\n", ["h1 0-3 a +++ b"]],
    ["definitions are not a heading", "[a]: /b\n===\n", []],
    ["below definitions the text is the heading", "[a]: /b 'c'\nd\n===\n", ["h1 1-2 d"]],
    ["a definition's name may hold an escaped bracket", "[a\\]b]: /c\n===\n", []],
    ["a definition's title may span lines", "[a]: /b 'c\nd'\ne\n===\n", ["h1 2-3 e"]],
    ["a definition's address may hold escaped parentheses", "[a]: /b\\(c\n===\n", []],
    ["a definition's address may hold parentheses", "[a]: /b(c)\n===\n", []],
    ["open parentheses are no address", "[a]: /b(c\n===\n", ["h1 0-1 [a]: /b(c"]],
    ["a definition's name may have 999 characters", `[${"n".repeat(999)}]: /b\n===\n`, []],
    [
      "a definition's name may have 999 characters on two lines",
      `[${"n".repeat(500)}\n${"m".repeat(499)}]: /b\n===\n`,
      [],
    ],
    [
      "a name of more characters names nothing",
      `[${"n".repeat(1000)}]: /b\n===\n`,
      [`h1 0-1 [${"n".repeat(1000)}]: /b`],
    ],
    ["text that only resembles a definition is the heading", "[a]: /b 'c' d\n===\n", ["h1 0-1 [a]: /b 'c' d"]],
    ["not in a fence", "```\n# a\n```\n# b\n", ["code 0-2 ", "h1 3-3 b"]],
    ["not in indented code", "a\n\n    # b\n", []],
    ["not in a comment", "<!--\n# a\n\n# b -->\n# c\n", ["h1 4-4 c"]],
    ["not in a tag's block until a blank line", "<div>\n# a\n\n# b\n", ["h1 3-3 b"]],
    ["not in a whole tag's block", "<a href='x'>\n# a\n\n# b\n", ["h1 3-3 b"]],
    ["not after a tag in a paragraph", "text\n<b>\n# a\n", ["h1 2-2 a"]],
    ["after a tag with an underscore, which is not a tag", "<custom_tag>\n# a\n", ["h1 1-1 a"]],
    ["not in scripts, with or without blank lines", "<script>\n\n# a\n</script>\n# b\n", ["h1 4-4 b"]],
    ["not in declarations", "<!X\n# a\n>\n# b\n", ["h1 3-3 b"]],
    ["after indented code", "    a\n# b\n", ["h1 1-1 b"]],
    ["in quotes and items", "> # a\n- # b\n", ["h1 >0-0 a", "item 1-1 # b", "h1 1-1 b"]],
    ["with CRLF", "# a\r\n\r\nb\r\n===\r\n", ["h1 0-0 a", "h1 2-3 b"]],
  ])("%s", (_name, text, expected) => {
    expect(parts(text)).toEqual(expected);
  });
});

describe("fences", () => {
  test.each<readonly [name: string, text: string, expected: readonly string[]]>([
    ["with a language", "``` ts title=x\na\n```\n", ["code 0-2 ts"]],
    ["ended by as many marks or more", "````\n```\n`````\n# a\n", ["code 0-2 ", "h1 3-3 a"]],
    ["ended by the same marks only", "~~~\n```\n~~~\n# a\n", ["code 0-2 ", "h1 3-3 a"]],
    ["not ended by marks with words", "```\n``` x\n```\n# a\n", ["code 0-2 ", "h1 3-3 a"]],
    ["without an end, to the end", "```\n# a\n\n", ["code 0-2 "]],
    ["ended with their container", "> ```\n# a\n", ["code >0-0 ", "h1 1-1 a"]],
    ["a backtick in the info string is not a fence", "``` a`b\n# c\n", ["h1 1-1 c"]],
    ["in an item", "- a\n  ```\n  # b\n  ```\n- c\n", ["item 0-3 a", "code 1-3 ", "item 4-4 c"]],
  ])("%s", (_name, text, expected) => {
    expect(parts(text)).toEqual(expected);
  });
});

describe("lists", () => {
  test.each<readonly [name: string, text: string, expected: readonly string[]]>([
    ["items with their paragraphs", "- a\n  b\nc\n\n  d\n\n- e\n", ["item 0-4 a", "item 6-6 e"]],
    [
      "nested by columns",
      "- a\n  - b\n    - c\n- d\n",
      ["item 0-2 a", "item 1-2 in 0 b", "item 2-2 in 1 c", "item 3-3 d"],
    ],
    ["nested on one line", "- 1. a\n", ["item 0-0 1. a", "item 0-0 in 0 a"]],
    ["tabs reach the next fourth column", "-\ta\n\n\t- b\n", ["item 0-2 a", "item 2-2 in 0 b"]],
    ["a tab is as wide as the item is indented", "1.  a\n\n\t# b\n", ["item 0-2 a", "h1 2-2 b"]],
    ["numbers of nine digits, not ten", "123456789. a\n\n1234567890. b\n", ["item 0-0 a"]],
    ["only 1 interrupts a paragraph", "a\n2. b\n\na\n1. b\n", ["item 4-4 b"]],
    ["an empty item interrupts no paragraph", "a\n-\n", ["h2 0-1 a"]],
    ["an empty item ends at a blank line", "-\n\n  a\n", ["item 0-0 "]],
    ["five spaces after the marker begin indented code", "-     # a\n", ["item 0-0 # a"]],
    ["a break ends a list", "- a\n***\n- b\n", ["item 0-0 a", "item 2-2 b"]],
    ["a quote ends a list", "- a\n> # b\n", ["item 0-0 a", "h1 >1-1 b"]],
    ["an item with an empty quote is not empty", "-\n  >\n\n  # a\n", ["item 0-3 ", "h1 3-3 a"]],
    ["an empty item within an empty item", "-\n  -\n", ["item 0-1 ", "item 1-1 in 0 "]],
    ["in quotes", "> - a\n> - b\n", ["item >0-0 a", "item >1-1 b"]],
  ])("%s", (_name, text, expected) => {
    expect(parts(text)).toEqual(expected);
  });
});

test.each<readonly [name: string, text: string, expected: readonly string[]]>([
  ["a table", "| a | b |\n|---|:-:|\n| 1 | 2 |\n\n# c\n", ["table 0-2", "h1 4-4 c"]],
  ["a table below a paragraph's lines", "x\na | b\n- | -\n1 | 2\n# c\n", ["table 1-3", "h1 4-4 c"]],
  ["no table when the columns differ", "| a |\n|---|---|\n", []],
  ["a bar after a backslash is text", "a \\| b\n--- | ---\n", []],
  ["front matter", "---\ntitle: x\n---\n# a\n", ["front-matter 0-2", "h1 3-3 a"]],
  ["no front matter without an end", "---\n# a\n", ["h1 1-1 a"]],
  ["no front matter below the first line", "\n---\n# a\n---\n", ["h1 2-2 a"]],
])("%s", (_name, text, expected) => {
  expect(parts(text)).toEqual(expected);
});

test("a hundred quotes within each other have parts, and one more is text", () => {
  expect(parts(`${">".repeat(100)} # a\n`)).toHaveLength(1);
  expect(parts(`${">".repeat(101)} # a\n`)).toEqual([]);
});

test("parts are within the text, in order, and within their item, for any text", () => {
  const bit = fc.constantFrom(
    "- ",
    "1. ",
    "> ",
    "  ",
    "\t",
    "# ",
    "a",
    "```",
    "===",
    "---",
    "|",
    "<div>",
    "<!--",
    "[a]: /b",
    "\n",
    "\n\n",
    "\r\n",
  );
  fc.assert(
    fc.property(fc.array(bit, { maxLength: 60 }), (bits) => {
      const text = bits.join("");
      const found = markdownParts(text);
      const count = text === "" ? 0 : text.split("\n").length;
      for (const part of found) {
        expect(part.fromLine).toBeLessThan(part.toLine);
        expect(part.toLine).toBeLessThanOrEqual(count);
        if (part.item === undefined) continue;
        const holder = found[part.item];
        expect(holder?.kind).toBe("list-item");
        expect(holder !== undefined && holder.fromLine <= part.fromLine && holder.toLine >= part.toLine).toBe(true);
      }
    }),
    { numRuns: scaled(3_000) },
  );
});

test.each<readonly [name: string, text: () => string]>([
  ["quotes within quotes", () => ">".repeat(1_000_000)],
  ["items within items, then blank lines", () => "- ".repeat(500_000) + "\n".repeat(500_000)],
  [
    "items nested ever deeper",
    () => Array.from({ length: 1_500 }, (_, depth) => `${"  ".repeat(depth)}- x`).join("\n"),
  ],
  ["definitions under line after line", () => "[a]: /u\n".repeat(50_000) + "===\n".repeat(50_000)],
  ["a tag without end", () => `<a ${"b ".repeat(500_000)}`],
  ["a title without end", () => `[a]: /u\n'${"x\n".repeat(300_000)}`],
  ["marks that could be a break", () => `${"* ".repeat(500_000)}a`],
  ["many tables", () => "|a|\n|-|\n".repeat(100_000)],
  ["one paragraph", () => `${"a\n".repeat(300_000)}===`],
])("markdownParts handles %s within seconds", (_name, text) => {
  const hostile = text();
  const started = performance.now();
  markdownParts(hostile);
  expect(performance.now() - started).toBeLessThan(3_000);
});
