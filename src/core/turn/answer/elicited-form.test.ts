import { expect, test } from "vitest";
import type { Answer } from "../state/question.ts";
import { formAnswer, formQuestions, readElicitedForm, type ElicitedForm } from "./elicited-form.ts";

function form(properties: object, required: readonly string[] = []): ElicitedForm {
  const read = readElicitedForm("Sign up", { type: "object", properties, required });
  if (!read.ok) throw new Error(read.error);
  return read.value;
}

const chose = (...chosen: readonly string[]): Answer => ({ chosen });

test("I-51 a field that is not required may be left out", () => {
  const asked = form({ name: { type: "string" }, town: { type: "string" } }, ["name"]);
  expect(formQuestions(asked, null).map(({ optional }) => optional === true)).toEqual([false, true]);
  expect(formAnswer(asked, [chose("Ada"), chose()])).toEqual({ type: "content", content: { name: "Ada" } });
  expect(formAnswer(asked, [chose("Ada"), chose("Turin")])).toEqual({
    type: "content",
    content: { name: "Ada", town: "Turin" },
  });
});

test("I-51 options with titles are shown by their titles and answered with their values", () => {
  const oneOf = [
    { const: "s", title: "Small" },
    { const: "l", title: "Large" },
  ];
  const asked = form({ size: { type: "string", oneOf } }, ["size"]);
  expect(formQuestions(asked, null)[0]?.options).toEqual([{ label: "Small" }, { label: "Large" }]);
  expect(formAnswer(asked, [chose("Large")])).toEqual({ type: "content", content: { size: "l" } });
});

test.each([
  ["email", "ada@example.org", "ada at example"],
  ["uri", "https://example.org/a", "example"],
  ["date", "2026-11-30", "2026-13-30"],
  ["date-time", "2026-11-30T12:00:00Z", "noon"],
])("I-51 a field of the format %s takes %j and not %j", (format, good, bad) => {
  const asked = form({ x: { type: "string", format } }, ["x"]);
  expect(formAnswer(asked, [chose(good)])).toEqual({ type: "content", content: { x: good } });
  expect(formAnswer(asked, [chose(bad)]).type).toBe("problem");
});

test.each<[string, object, readonly string[], unknown]>([
  ["the largest number", { type: "integer", minimum: 1, maximum: 5 }, ["5"], 5],
  ["the smallest number", { type: "integer", minimum: 1, maximum: 5 }, ["1"], 1],
  ["a number above the largest", { type: "number", maximum: 5 }, ["5.1"], "at most 5"],
  ["a number below the smallest", { type: "number", minimum: 1 }, ["0"], "at least 1"],
  ["a number out of both bounds", { type: "number", minimum: 1, maximum: 5 }, ["9"], "at least 1, at most 5"],
  ["no number", { type: "number" }, ["many"], "a number is wanted"],
  ["half a whole number", { type: "integer" }, ["1.5"], "a whole number is wanted"],
  ["several options", { type: "array", items: { enum: ["a", "b", "c"] } }, ["a", "c"], ["a", "c"]],
  ["an option that is none", { type: "array", items: { enum: ["a", "b"] } }, ["a", "x"], "only the options are wanted"],
  ["too many options", { type: "array", items: { enum: ["a", "b"] }, maxItems: 1 }, ["a", "b"], "at most 1"],
  ["words that are too long", { type: "string", maxLength: 3 }, ["Turin"], "0 to 3 characters"],
  ["words that are too short", { type: "string", minLength: 3 }, ["To"], "at least 3 characters"],
])("I-51 %s is taken, or refused with what is wanted", (_what, property, chosen, expected) => {
  const answer = formAnswer(form({ x: property }, ["x"]), [chose(...chosen)]);
  if (typeof expected !== "string") return expect(answer).toEqual({ type: "content", content: { x: expected } });
  expect(answer.type).toBe("problem");
  return expect(JSON.stringify(answer)).toContain(expected);
});
