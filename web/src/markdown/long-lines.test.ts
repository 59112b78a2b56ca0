import { GFM, parser } from "@lezer/markdown";
import { expect, test } from "vitest";
import { limits, readMax } from "./long-lines.ts";

const markdown = parser.configure([GFM, limits]);

function kinds(text: string): readonly string[] {
  const found: string[] = [];
  for (let node = markdown.parse(text).topNode.firstChild; node !== null; node = node.nextSibling)
    found.push(node.name);
  return found;
}

test("a line beyond the bound is not read for its marks, and its neighbours are", () => {
  const long = "[a](b) ".repeat(readMax);
  expect(kinds(`# One\n${long}\n**two**`)).toEqual(["ATXHeading1", "LongLine", "Paragraph"]);
  expect(kinds(long)).toEqual(["LongLine"]);
});

test("a paragraph beyond the bound is cut into several, and a shorter one is not", () => {
  const line = `${"word ".repeat(20)}\n`;
  expect(new Set(kinds(line.repeat(600)))).toEqual(new Set(["Paragraph"]));
  expect(kinds(line.repeat(600)).length).toBeGreaterThan(1);
  expect(kinds(line.repeat(100))).toEqual(["Paragraph"]);
});
