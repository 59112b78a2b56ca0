import { expect, test } from "vitest";
import type { RunId } from "../../../src/core/base/ids.ts";
import { keepTyped, leftWords, typedIn } from "./typed-words.ts";

const runId = "run_1" as RunId;

test("typed words return with their card, and leftWords lists them when the card is gone", () => {
  keepTyped("first", { runId, fields: ["the shorter one", "", "by noon"] });
  expect(typedIn("first")).toEqual(["the shorter one", "", "by noon"]);
  expect(leftWords(runId, "first")).toEqual([]);
  expect(leftWords(runId, "second")).toEqual([{ card: "first", text: "the shorter one\n\nby noon" }]);
  expect(leftWords("run_2" as RunId, null)).toEqual([]);
  keepTyped("first", { runId, fields: ["", " ", ""] });
  expect(leftWords(runId, null)).toEqual([]);
  expect(typedIn("first")).toEqual([]);
});
