import { expect, test } from "vitest";
import { conflictIn, isMarkdown, nameAndFolder, placesOf, fileStateWords } from "./file-words.ts";

test.each([
  ["notes/today.md", true],
  ["README", true],
  [".gitignore", false],
  ["src/a.ts", false],
  ["a.b/c", true],
])("isMarkdown(%s) is %s", (path, expected) => {
  expect(isMarkdown(path)).toBe(expected);
});

test("nameAndFolder splits a path into name and folder", () => {
  expect(nameAndFolder("notes/old/today.md")).toEqual({ name: "today.md", folder: "notes/old/" });
  expect(nameAndFolder("a.md")).toEqual({ name: "a.md", folder: "" });
});

test("a conflict is read from any stored metadata", () => {
  expect(conflictIn({})).toBe(null);
  expect(conflictIn({ conflict: null })).toBe(null);
  const lines = [{ start: 2, end: 4 }];
  expect(conflictIn({ conflict: { lines: [...lines, "x"], hash: "a1" } })).toEqual({ lines, hash: "a1" });
  expect(conflictIn({ conflict: { hash: 1 } })).toEqual({ lines: [], hash: "" });
});

test.each([
  [[], "Throughout the text"],
  [[2], "Around line 3"],
  [[2, 7], "Around lines 3 and 8"],
  [[2, 7, 9], "In 3 places, the first around line 3,"],
])("placesOf describes the places of conflicts at %j", (starts, words) => {
  expect(placesOf(starts.map((start) => ({ start, end: start + 1 })))).toBe(words);
});

test.each([
  [null, false, "", "clean"],
  [null, true, "Conflict", "conflict"],
  [{ dirty: true, problem: "it is a folder" }, true, "Conflict", "conflict"],
  [{ dirty: true, problem: "it is a folder" }, false, "Can’t be saved", "conflict"],
  [{ dirty: false, problem: "EACCES" }, false, "Can’t be read", "conflict"],
  [{ dirty: true, problem: null }, false, "Saving…", "dirty"],
  [{ dirty: false, problem: null }, false, "Saved", "clean"],
] as const)("a file of which %j is known, in conflict: %j, is marked %j", (state, conflict, words, mark) => {
  const shown = fileStateWords(state, conflict);
  expect([shown.words, shown.mark]).toEqual([words, mark]);
  if (state?.problem !== undefined && state.problem !== null && !conflict) expect(shown.hint).toContain(state.problem);
});
