import { describe, expect, test } from "vitest";
import { resolveAddress, type MarkdownAddress } from "./address.ts";
import { markdownOutline } from "./outline.ts";

const guide = `Before.

- zero

# Guide

- one
- two
  - two a
  - two b

  more of two
- three

## Install

1. first
2. second

### Linux

> # quoted
> - item

## Use

\`\`\`sh
# no heading
\`\`\`

# Notes

## Install

| a | b |
|---|---|
`;

/** The text of the lines at an address; or the code of the refusal and the alternatives it offers. */
function linesOf(address: MarkdownAddress, text = guide): unknown {
  const found = resolveAddress(markdownOutline(text), address);
  if (!found.ok) return [found.error.code, found.error.details?.["candidates"]];
  const lines = text.split("\n").slice(found.value.fromLine, found.value.toLine);
  return lines.join("\n").trimEnd();
}

test("an outline nests sections, items, code and tables, each with its section", () => {
  const outline = markdownOutline(guide);
  const sections = outline.sections.map(({ address, level, title }) => `${address} ${"#".repeat(level)} ${title}`);
  expect(sections).toEqual([
    "1 # Guide",
    "1.1 ## Install",
    "1.1.1 ### Linux",
    "1.2 ## Use",
    "2 # Notes",
    "2.1 ## Install",
  ]);
  const items = outline.listItems.map(({ section, address, text }) => `${section} ${address} ${text}`);
  expect(items).toEqual([
    "0 1 zero",
    "1 1 one",
    "1 2 two",
    "1 2.1 two a",
    "1 2.2 two b",
    "1 3 three",
    "1.1 1 first",
    "1.1 2 second",
  ]);
  expect(outline.codeBlocks).toMatchObject([{ section: "1.2", language: "sh" }]);
  expect(outline.tables).toMatchObject([{ section: "2.1" }]);
});

describe("an address", () => {
  test.each<readonly [name: string, address: MarkdownAddress, expected: unknown]>([
    ["a section by number", { section: "1.1.1" }, "### Linux\n\n> # quoted\n> - item"],
    ["a section by title", { section: "Use" }, "## Use\n\n```sh\n# no heading\n```"],
    ["a section by heading", { section: "## Use" }, "## Use\n\n```sh\n# no heading\n```"],
    ["a section by titles around it", { section: "Notes > Install" }, "## Install\n\n| a | b |\n|---|---|"],
    ["what comes before the first heading", { section: "0" }, "Before.\n\n- zero"],
    ["an item before the first heading", { listItem: "1" }, "- zero"],
    ["an item with its children", { section: "Guide", listItem: "2" }, "- two\n  - two a\n  - two b\n\n  more of two"],
    ["an item within an item", { section: "1", listItem: "2.2" }, "  - two b"],
    [
      "an item number that its section does not have",
      { section: "1", listItem: "4" },
      ["ADDRESS_NOT_FOUND", ["1 one", "2 two", "2.1 two a", "2.2 two b", "3 three"]],
    ],
    ["a title of several sections", { section: "Install" }, ["ADDRESS_AMBIGUOUS", ["1.1 Install", "2.1 Install"]]],
    ["a title of another level", { section: "# Use" }, ["ADDRESS_NOT_FOUND", expect.anything()]],
    ["a quoted heading", { section: "quoted" }, ["ADDRESS_NOT_FOUND", expect.anything()]],
    ["a section number that does not exist", { section: "3" }, ["ADDRESS_NOT_FOUND", expect.anything()]],
    ["an item in a section without items", { section: "Use", listItem: "1" }, ["ADDRESS_NOT_FOUND", []]],
  ])("%s", (_name, address, expected) => {
    expect(linesOf(address)).toEqual(expected);
  });

  test("a title has precedence over a number, and may contain the title separator", () => {
    expect(linesOf({ section: "2" }, "# 2\na\n# b\n")).toBe("# 2\na");
    expect(linesOf({ section: "a > b" }, "# a > b\nc\n# a\n## b\n")).toBe("# a > b\nc");
  });

  test("heading levels may be skipped and return", () => {
    const outline = markdownOutline("### a\n# b\n### c\n## d\n");
    expect(outline.sections.map(({ address, title }) => `${address} ${title}`)).toEqual([
      "1 a",
      "2 b",
      "2.1 c",
      "2.2 d",
    ]);
  });
});

test("markdownOutline is fast on a megabyte", () => {
  const text = guide.repeat(Math.ceil(1_000_000 / guide.length));
  markdownOutline(text);
  const started = performance.now();
  expect(markdownOutline(text).sections.length).toBeGreaterThan(10_000);
  expect(performance.now() - started).toBeLessThan(2_000);
});
