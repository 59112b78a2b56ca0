import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { MarkdownInline } from "./model.ts";
import { safeHref } from "./model.ts";
import { blocksOf, readMarkdown } from "./read-markdown.ts";

function inlinesOf(text: string): readonly MarkdownInline[] {
  const block = blocksOf(readMarkdown(text))[0];
  return block?.type === "paragraph" ? block.children : [];
}

describe("reading Markdown", () => {
  test("headings, paragraphs, rules and code are blocks", () => {
    expect(
      blocksOf(
        readMarkdown("# Plan\n\nOne *two* **three** `four` ~~five~~\n\n---\n\n```ts\nconst a = 1;\n\nlet b;\n```"),
      ),
    ).toEqual([
      { type: "heading", level: 1, children: [{ type: "text", text: "Plan" }] },
      {
        type: "paragraph",
        children: [
          { type: "text", text: "One " },
          { type: "emphasis", children: [{ type: "text", text: "two" }] },
          { type: "text", text: " " },
          { type: "strong", children: [{ type: "text", text: "three" }] },
          { type: "text", text: " " },
          { type: "code", text: "four" },
          { type: "text", text: " " },
          { type: "strike", children: [{ type: "text", text: "five" }] },
        ],
      },
      { type: "rule" },
      { type: "code", language: "ts", text: "const a = 1;\n\nlet b;" },
    ]);
  });

  test("lists nest, count from their first number and have boxes", () => {
    const block = blocksOf(readMarkdown("3. three\n4. four\n   - [x] done\n   - [ ] open"))[0];
    expect(block).toMatchObject({ type: "list", start: 3 });
    const inner = block?.type === "list" ? block.items[1]?.blocks[1] : undefined;
    expect(inner?.type === "list" ? inner.items.map((item) => item.ticked) : null).toEqual([true, false]);
  });

  test("code inside a quote loses the quote's marks", () => {
    const quote = blocksOf(readMarkdown("> ```\n> a\n> b\n> ```\n> and\n> more"))[0];
    expect(quote?.type === "quote" ? quote.blocks : null).toEqual([
      { type: "code", language: "", text: "a\nb" },
      { type: "paragraph", children: [{ type: "text", text: "and\n more" }] },
    ]);
  });

  test("tables have a head, rows and alignments", () => {
    expect(blocksOf(readMarkdown("| a | b |\n|:--|--:|\n| 1 | *2* |"))[0]).toEqual({
      type: "table",
      alignments: ["left", "right"],
      head: [[{ type: "text", text: "a" }], [{ type: "text", text: "b" }]],
      rows: [[[{ type: "text", text: "1" }], [{ type: "emphasis", children: [{ type: "text", text: "2" }] }]]],
    });
  });

  test("entities and escapes are read, unknown ones stay as written", () => {
    expect(inlinesOf("a &amp; b &#8230; \\* &unknown;")).toEqual([{ type: "text", text: "a & b … * &unknown;" }]);
  });
});

describe("hostile Markdown", () => {
  test.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "file:///etc/passwd",
    "/relative",
    "#fragment",
    "blob:https://example.org/1",
  ])("a link to %s is not a link", (address) => {
    expect(safeHref(address)).toBeNull();
    expect(JSON.stringify(blocksOf(readMarkdown(`[x](<${address}>)`)))).not.toContain('"link"');
  });

  test("web and mail addresses are links, also bare ones and by reference", () => {
    expect(inlinesOf("see https://example.org/a")[1]).toMatchObject({ type: "link", href: "https://example.org/a" });
    expect(inlinesOf("[x](mailto:a@example.org)")[0]).toMatchObject({ type: "link", href: "mailto:a@example.org" });
    expect(inlinesOf("[x][Ref]\n\n[ref]: https://example.org/r")[0]).toMatchObject({ href: "https://example.org/r" });
    expect(inlinesOf("[not a link] here")).toEqual([{ type: "text", text: "[not a link] here" }]);
  });

  test("raw HTML is text, whole blocks and inline", () => {
    expect(blocksOf(readMarkdown("<img src=x onerror=alert(1)>"))).toEqual([
      { type: "literal", text: "<img src=x onerror=alert(1)>" },
    ]);
    expect(inlinesOf("a <b onclick=x>b</b>")).toEqual([{ type: "text", text: "a <b onclick=x>b</b>" }]);
  });

  test("a picture is shown as description and address and is not loaded", () => {
    expect(inlinesOf("![chart](https://example.org/c.png)")).toEqual([
      { type: "image", alt: "chart", href: "https://example.org/c.png" },
    ]);
    expect(inlinesOf("![x](data:image/png;base64,AA)")).toEqual([{ type: "image", alt: "x", href: null }]);
  });

  test("formulas keep their backslashes and underscores, and prices are no formulas", () => {
    const math = (text: string) => inlinesOf(text).filter(({ type }) => type === "math");
    expect(math(String.raw`so \(\frac{a_1}{b_2}\) and $x_i * y_i$`)).toEqual([
      { type: "math", text: String.raw`\frac{a_1}{b_2}`, display: false },
      { type: "math", text: "x_i * y_i", display: false },
    ]);
    expect(math("\\[\nE = mc^2 \\\\\n\\]")).toEqual([{ type: "math", text: "E = mc^2 \\\\", display: true }]);
    expect(math("$$a$$")).toEqual([{ type: "math", text: "a", display: true }]);
    expect(math("\\(".repeat(9_000))).toEqual([]);
    expect(math("it costs $5 or $6, a \\( alone, $ x $")).toEqual([]);
  });

  test("footnotes have a mark in the text and their words where they were written, also one word or an address", () => {
    const blocks = blocksOf(readMarkdown("Said[^1].\n[^1]: https://example.org\n[^b]: *two* words"));
    expect(blocks).toMatchObject([
      { type: "paragraph", children: [{ text: "Said" }, { type: "footnote", name: "1" }, { text: "." }] },
      { type: "footnote", name: "1", children: [{ type: "link" }] },
      { type: "footnote", name: "b", children: [{ type: "emphasis" }, { text: " words" }] },
    ]);
  });

  test("deep nesting does not exhaust the stack", () => {
    expect(blocksOf(readMarkdown(`${"> ".repeat(3_000)}deep`))).toHaveLength(1);
    expect(blocksOf(readMarkdown("*a ".repeat(3_000)))).toHaveLength(1);
  });
});

describe("reading a growing text", () => {
  const line = fc.constantFrom(
    "# h",
    "text *em* and `code`",
    "- item",
    "  - inner",
    "1. one",
    "> quote",
    "```js",
    "code()",
    "```",
    "",
    "| a | b |",
    "|---|---|",
    "| 1 | 2 |",
    "[r]: https://example.org",
    "[x][r]",
    "<div>",
    "---",
    "- [x] t",
    "[^1]: a note",
    "a $x_1$ or \\(y[^1]",
  );

  test("readMarkdown gives the same blocks for a text in pieces as for the whole text", () => {
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 30 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        (lines, sizes) => {
          const text = lines.join("\n");
          let read = readMarkdown("");
          for (let at = 0, turn = 0; at < text.length; turn += 1) {
            at += sizes[turn % sizes.length] ?? 1;
            read = readMarkdown(text.slice(0, at), read);
          }
          expect(blocksOf(read)).toEqual(blocksOf(readMarkdown(text)));
        },
      ),
    );
  });

  test.each([
    ["1. one\n\n2", ". two"],
    ["- one\n\n", "  more of one"],
    ["text", "\n==="],
  ])("readMarkdown reads the block before the last again where %j goes on with %j", (begin, rest) => {
    expect(blocksOf(readMarkdown(begin + rest, readMarkdown(begin)))).toEqual(blocksOf(readMarkdown(begin + rest)));
  });

  test("readMarkdown keeps finished blocks as the same objects", () => {
    const before = readMarkdown("# One\n\nfirst paragraph\n\nsecond");
    const after = readMarkdown("# One\n\nfirst paragraph\n\nsecond goes on", before);
    expect(blocksOf(after)[0]).toBe(blocksOf(before)[0]);
    expect(blocksOf(after)[1]).toBe(blocksOf(before)[1]);
    expect(blocksOf(after)[2]).not.toBe(blocksOf(before)[2]);
  });

  test("readMarkdown keeps one copy of a text that grew in thousands of pieces", () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const keptMb = (): number => {
      collect();
      return process.memoryUsage().heapUsed / 1e6;
    };
    const beforeMb = keptMb();
    let text = "";
    let read = readMarkdown(text);
    for (let at = 0; text.length < 150_000; at += 1) {
      text += at % 7 === 6 ? `end of ${at}.\n\n` : `Several plain words before **words in bold** of piece ${at} `;
      read = readMarkdown(text, read);
    }
    expect(blocksOf(read).length).toBeGreaterThan(300);
    // The text, its blocks and what is known of them; each block's own copy of the whole text would be 30 MB.
    expect(keptMb() - beforeMb).toBeLessThan(10);
  });

  test("readMarkdown keeps full groups of blocks as the same objects", () => {
    const text = "one\n\n".repeat(120);
    const before = readMarkdown(text);
    const after = readMarkdown(`${text}more`, before);
    expect(after.groups).toHaveLength(8);
    expect(before.groups).toHaveLength(8);
    for (const [index, group] of after.groups.slice(0, -1).entries()) expect(group).toBe(before.groups[index]);
  });

  test("a definition that comes late gives links to the finished blocks that name it, and leaves the others", () => {
    const before = readMarkdown("[a][r]\n\n[b](https://b.example)\n\n[c]\n\nd\n\ne\n\n");
    const after = readMarkdown(`${before.text}[r]: https://r.example`, before);
    expect(blocksOf(after)[0]).toMatchObject({ children: [{ type: "link", href: "https://r.example/" }] });
    expect(blocksOf(after)[1]).toBe(blocksOf(before)[1]);
    expect(blocksOf(after)[2]).toBe(blocksOf(before)[2]);
  });
});
