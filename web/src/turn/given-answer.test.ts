import { expect, test } from "vitest";
import { answerOf, emptyAnswer, withChoice } from "./given-answer.ts";

test("one of several options is the answer; of many, each goes in and out", () => {
  const one = withChoice(withChoice(emptyAnswer, "a", false), "b", false);
  expect(answerOf(one)).toEqual({ chosen: ["b"] });
  const many = withChoice(withChoice(withChoice(emptyAnswer, "a", true), "b", true), "a", true);
  expect(answerOf(many)).toEqual({ chosen: ["b"] });
});

test("own words are an answer, a note alone is none", () => {
  expect(answerOf({ ...emptyAnswer, own: " neither " })).toEqual({ chosen: ["neither"] });
  expect(answerOf({ ...emptyAnswer, note: "soon" })).toBeNull();
  expect(answerOf({ chosen: ["a"], own: "and b", note: " soon " })).toEqual({ chosen: ["a", "and b"], note: "soon" });
});
