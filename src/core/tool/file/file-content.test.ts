import { expect, test } from "vitest";
import { fileListContent } from "./file-content.ts";

const paths = (count: number) => Array.from({ length: count }, (_, at) => `src/f${at}.ts`);

test.each([
  ["fewer files than are shown", 2, false, true],
  ["as many as are shown", 3, false, true],
  ["one more", 4, false, false],
  ["few, of a folder that was not looked at whole", 2, true, false],
])("the answer of list_files with %s says whether it is whole", (_which, count, isCut, isWhole) => {
  const answer = fileListContent(paths(count), { max: 3, isCut });
  expect(answer["files"]).toEqual(paths(Math.min(count, 3)));
  expect(answer["truncated"] === undefined).toBe(isWhole);
  expect(answer["note"] === undefined).toBe(isWhole);
  expect(answer["folders"]).toEqual(isWhole ? undefined : { "src/": count });
});
