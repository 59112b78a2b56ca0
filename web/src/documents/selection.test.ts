import { expect, test } from "vitest";
import { type Choice, chosen, nothingSelected, within } from "./selection.ts";

const keys = ["a", "b", "c", "d", "e"];

test.each<[readonly (readonly [string, Choice])[], readonly string[], string]>([
  [[["b", "alone"]], ["b"], "b"],
  [
    [
      ["b", "alone"],
      ["d", "also"],
    ],
    ["b", "d"],
    "d",
  ],
  [
    [
      ["b", "alone"],
      ["d", "also"],
      ["b", "also"],
    ],
    ["d"],
    "b",
  ],
  [
    [
      ["b", "alone"],
      ["d", "range"],
    ],
    ["b", "c", "d"],
    "d",
  ],
  [
    [
      ["b", "alone"],
      ["d", "range"],
      ["a", "range"],
    ],
    ["a", "b"],
    "a",
  ],
  [[["d", "range"]], ["d"], "d"],
  [
    [
      ["a", "alone"],
      ["b", "also"],
      ["e", "alone"],
    ],
    ["e"],
    "e",
  ],
])("choosing %j selects %j", (steps, expected, at) => {
  const selection = steps.reduce((before, [key, how]) => chosen(before, key, how, keys), nothingSelected);
  expect([...selection.keys].toSorted()).toEqual(expected);
  expect(selection.at).toBe(at);
});

test("rows that are gone are selected no more, and the focus goes to the row in their place", () => {
  const selected = chosen(chosen(nothingSelected, "b", "alone", keys), "c", "range", keys);
  expect(within(selected, ["a", "d", "e"], 2)).toMatchObject({ keys: new Set(), at: "e" });
  expect(within(selected, ["a", "b"], 2)).toMatchObject({ keys: new Set(["b"]), at: "b" });
  expect(within(selected, keys, 2)).toBe(selected);
});
