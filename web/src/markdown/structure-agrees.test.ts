import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { GFM, parser } from "@lezer/markdown";
import fc from "fast-check";
import { expect, test } from "vitest";
import { scaled } from "../../../test/scale.ts";
import { frontMatter } from "./front-matter.ts";
import { markdownParts } from "../../../src/core/block/markdown/structure.ts";

const repository = fileURLToPath(new URL("../../..", import.meta.url));
const editorParser = parser.configure([GFM, frontMatter]);

/** Returns the headings and fences of the server's outline with their first lines. */
function asServed(text: string): readonly string[] {
  return markdownParts(text).flatMap((part) => {
    if (part.kind === "heading") return [`h${part.level} ${part.fromLine}`];
    return part.kind === "code" ? [`code ${part.fromLine}`] : [];
  });
}

/** Returns the headings and fences of the editor's parser with their first lines. */
function asEdited(text: string): readonly string[] {
  const found: string[] = [];
  editorParser.parse(text).iterate({
    enter: ({ name, from }) => {
      const line = text.slice(0, from).split("\n").length - 1;
      const level = /^(?:ATX|Setext)Heading(\d)$/.exec(name)?.[1];
      if (level !== undefined) found.push(`h${level} ${line}`);
      if (name === "FencedCode") found.push(`code ${line}`);
    },
  });
  return found;
}

function pagesOfThisRepository(): readonly string[] {
  const listed = execFileSync("git", ["ls-files", "*.md"], { cwd: repository, encoding: "utf8" });
  return listed.split("\n").filter((path) => path !== "");
}

test("the server's outline and the editor agree on headings and fences, in every page of the repository and in random ones", () => {
  const pages = pagesOfThisRepository();
  expect(pages.length).toBeGreaterThan(10);
  for (const page of pages) {
    const text = readFileSync(join(repository, page), "utf8");
    expect([page, ...asServed(text)]).toEqual([page, ...asEdited(text)]);
  }
  const line = fc.constantFrom(
    "# a",
    "## b ##",
    "a",
    "===",
    "---",
    "```",
    "~~~ ts",
    "- a",
    "  b",
    "1. c",
    "> d",
    "",
    "",
    "<div>",
    "<!-- x -->",
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      const text = ["first", "", ...lines].join("\n");
      expect(asServed(text)).toEqual(asEdited(text));
    }),
    { numRuns: scaled(2_000) },
  );
});

test.each([
  "---\na: b\n---\n# c\n",
  "---\na: b\n...\n# c\n",
  "---  \n# a\n---  \n# c",
  "---\n---\n# c\n",
  "---\n\na: b\n\n- x\n---",
  "---\n# a\n",
  "---\na: b\n----\n# c\n",
  "--- \na\n ---\n# c\n",
  "\n---\n# a\n---\n",
  "- ---\n  a\n  ---\n",
  "> ---\n> a\n> ---\n",
])("the server's outline and the editor agree on metadata at the beginning: %j", (text) => {
  expect(asEdited(text)).toEqual(asServed(text));
});

test("the outline and the editor differ where the editor's parser leaves CommonMark: tags with an underscore, and definitions", () => {
  expect([asServed("<custom_tag>\n# a\n"), asEdited("<custom_tag>\n# a\n")]).toEqual([["h1 1"], []]);
  expect([asServed("[a]: /b\n===\n[a]\n"), asEdited("[a]: /b\n===\n[a]\n")]).toEqual([[], expect.anything()]);
});
