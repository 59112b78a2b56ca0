import { expect, test } from "vitest";
import { matching, type PaletteItem } from "./palette-match.ts";

function item(label: string, group: string): PaletteItem {
  return { key: label, icon: "chat", label, group, keys: null, run: () => {} };
}

const items = [
  item("Release notes", "Canvas"),
  item("Go to the canvas", "Command"),
  item("New canvas", "Command"),
  item("Canvas ideas", "Conversation"),
];
const found = (query: string): readonly string[] => matching(items, query).map((found) => found.label);

test("what begins with the query comes first, then a word that does, then the group", () => {
  expect(found("canvas")).toEqual(["Canvas ideas", "Go to the canvas", "New canvas", "Release notes"]);
});

test("every word must be found somewhere", () => {
  expect(found("can new")).toEqual(["New canvas"]);
  expect(found("zebra")).toEqual([]);
});

test("without a query everything is there in its order", () => {
  expect(found("  ")).toEqual(items.map(({ label }) => label));
});
