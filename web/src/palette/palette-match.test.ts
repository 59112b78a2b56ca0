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

test("matching sorts labels that begin with the query first, then words, then groups", () => {
  expect(found("canvas")).toEqual(["Canvas ideas", "Go to the canvas", "New canvas", "Release notes"]);
});

test("matching requires every word of the query", () => {
  expect(found("can new")).toEqual(["New canvas"]);
  expect(found("zebra")).toEqual([]);
});

test("matching without a query returns all items in order", () => {
  expect(found("  ")).toEqual(items.map(({ label }) => label));
});
