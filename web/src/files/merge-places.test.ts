import { expect, test } from "vitest";
import { type KeptLines, mergedText, mergePlaces } from "./merge-places.ts";

const mine = "title\nmy line\nsame\nmy end";
const file = "title\nfile line\nsame\nnew\nfile end";

test("17.10 the places of a conflict show both texts with their line", () => {
  expect(mergePlaces(mine, file)).toEqual([
    { line: 2, mine: "my line\n", file: "file line\n" },
    { line: 4, mine: "my end", file: "new\nfile end" },
  ]);
  expect(mergePlaces("same", "same")).toEqual([]);
  expect(mergePlaces("", "only there\n")).toEqual([{ line: 1, mine: "", file: "only there\n" }]);
});

test.each<[readonly KeptLines[], string]>([
  [[], mine],
  [["mine", "mine"], mine],
  [["file", "file"], file],
  [["file", "mine"], "title\nfile line\nsame\nmy end"],
  [["both", "both"], "title\nmy line\nfile line\nsame\nmy end\nnew\nfile end"],
])("17.10 a merge with %j takes exactly those lines", (choices, text) => {
  expect(mergedText(mine, file, choices)).toBe(text);
});
