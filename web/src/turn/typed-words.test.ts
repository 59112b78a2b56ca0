import { expect, test } from "vitest";
import type { RunId } from "../../../src/core/base/ids.ts";
import { keepTyped, leftWords, typedIn } from "./typed-words.ts";

const runId = "run_1" as RunId;

test("what is typed into a card is there when the card comes back, and told of when it does not", () => {
  keepTyped("first", { runId, fields: ["the shorter one", "", "by noon"] });
  expect(typedIn("first")).toEqual(["the shorter one", "", "by noon"]);
  expect(leftWords(runId, "first")).toEqual([]);
  expect(leftWords(runId, "second")).toEqual([{ card: "first", text: "the shorter one\n\nby noon" }]);
  expect(leftWords("run_2" as RunId, null)).toEqual([]);
  keepTyped("first", { runId, fields: ["", " ", ""] });
  expect(leftWords(runId, null)).toEqual([]);
  expect(typedIn("first")).toEqual([]);
});
