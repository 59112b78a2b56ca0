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
