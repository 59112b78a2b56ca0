import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { MarkdownInline } from "./model.ts";
import { safeHref } from "./model.ts";
import { readMarkdown } from "./read-markdown.ts";

function inlinesOf(text: string): readonly MarkdownInline[] {
  const block = readMarkdown(text).blocks[0];
  return block?.type === "paragraph" ? block.children : [];
}

describe("reading Markdown", () => {
  test("headings, paragraphs, rules and code are blocks", () => {
    expect(
      readMarkdown("# Plan\n\nOne *two* **three** `four` ~~five~~\n\n---\n\n```ts\nconst a = 1;\n\nlet b;\n```").blocks,
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
    const block = readMarkdown("3. three\n4. four\n   - [x] done\n   - [ ] open").blocks[0];
    expect(block).toMatchObject({ type: "list", start: 3 });
    const inner = block?.type === "list" ? block.items[1]?.blocks[1] : undefined;
    expect(inner?.type === "list" ? inner.items.map((item) => item.ticked) : null).toEqual([true, false]);
  });

  test("code inside a quote loses the quote's marks", () => {
    const quote = readMarkdown("> ```\n> a\n> b\n> ```\n> and\n> more").blocks[0];
    expect(quote?.type === "quote" ? quote.blocks : null).toEqual([
      { type: "code", language: "", text: "a\nb" },
      { type: "paragraph", children: [{ type: "text", text: "and\n more" }] },
    ]);
  });

  test("tables have a head, rows and alignments", () => {
    expect(readMarkdown("| a | b |\n|:--|--:|\n| 1 | *2* |").blocks[0]).toEqual({
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
    expect(JSON.stringify(readMarkdown(`[x](<${address}>)`).blocks)).not.toContain('"link"');
  });

  test("web and mail addresses are links, also bare ones and by reference", () => {
    expect(inlinesOf("see https://example.org/a")[1]).toMatchObject({ type: "link", href: "https://example.org/a" });
    expect(inlinesOf("[x](mailto:a@example.org)")[0]).toMatchObject({ type: "link", href: "mailto:a@example.org" });
    expect(inlinesOf("[x][Ref]\n\n[ref]: https://example.org/r")[0]).toMatchObject({ href: "https://example.org/r" });
    expect(inlinesOf("[not a link] here")).toEqual([{ type: "text", text: "[not a link] here" }]);
  });

  test("raw HTML is text, whole blocks and inline", () => {
    expect(readMarkdown("<img src=x onerror=alert(1)>").blocks).toEqual([
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

  test("deep nesting does not exhaust the stack", () => {
    expect(readMarkdown(`${"> ".repeat(3_000)}deep`).blocks).toHaveLength(1);
    expect(readMarkdown("*a ".repeat(3_000)).blocks).toHaveLength(1);
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
          expect(read.blocks).toEqual(readMarkdown(text).blocks);
        },
      ),
    );
  });

  test("readMarkdown keeps finished blocks as the same objects", () => {
    const before = readMarkdown("# One\n\nfirst paragraph\n\nsecond");
    const after = readMarkdown("# One\n\nfirst paragraph\n\nsecond goes on", before);
    expect(after.blocks[0]).toBe(before.blocks[0]);
    expect(after.blocks[1]).toBe(before.blocks[1]);
    expect(after.blocks[2]).not.toBe(before.blocks[2]);
  });
});
