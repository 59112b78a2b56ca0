import { expect, test } from "vitest";
import { answerOf, emptyAnswer, withChoice } from "./given-answer.ts";

test("withChoice replaces a single choice and toggles multiple ones", () => {
  const one = withChoice(withChoice(emptyAnswer, "a", false), "b", false);
  expect(answerOf(one)).toEqual({ chosen: ["b"] });
  const many = withChoice(withChoice(withChoice(emptyAnswer, "a", true), "b", true), "a", true);
  expect(answerOf(many)).toEqual({ chosen: ["b"] });
});

test("answerOf accepts own words and refuses a note alone", () => {
  expect(answerOf({ ...emptyAnswer, own: " neither " })).toEqual({ chosen: ["neither"] });
  expect(answerOf({ ...emptyAnswer, note: "soon" })).toBeNull();
  expect(answerOf({ chosen: ["a"], own: "and b", note: " soon " })).toEqual({ chosen: ["a", "and b"], note: "soon" });
});
