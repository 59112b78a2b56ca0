import { expect, test } from "vitest";
import { rightWords, scopeWords, untilWords } from "./token-words.ts";

test("a token's rights, reach and end are said in a few words", () => {
  expect(rightWords(["read", "run"])).toBe("reads, runs models");
  expect(scopeWords(null)).toBe("everywhere");
  expect(scopeWords({ folderIds: [], rootIds: ["a"], canvasIds: ["b", "c"] })).toBe(
    "in 1 conversation and 2 documents",
  );
  expect(scopeWords({ folderIds: [], rootIds: [], canvasIds: [] })).toBe("nothing");
  expect([untilWords(null), untilWords(Date.UTC(2027, 0, 31))]).toEqual(["until revoked", "until 2027-01-31"]);
});
