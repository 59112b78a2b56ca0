import { expect, test } from "vitest";
import { must } from "../../core/base/assert.ts";
import type { NonEmptyArray } from "../../core/base/non-empty.ts";
import { readElicitation } from "../../core/turn/answer/elicitation.ts";
import type { Answer, Question } from "../../core/turn/state/question.ts";
import { answerElicitation } from "./answer-elicitation.ts";

const form = (properties: object, required: readonly string[] = []): Readonly<Record<string, unknown>> => ({
  mode: "form",
  message: "Who are you?",
  requestedSchema: { type: "object", properties, required },
});

async function answered(params: Readonly<Record<string, unknown>>, ...given: readonly (readonly Answer[] | null)[]) {
  const read = readElicitation(params, (url) => URL.parse(url));
  if (!read.ok) throw new Error(read.error);
  const asked: NonEmptyArray<Question>[] = [];
  const answer = await answerElicitation(read.value, async (questions) => {
    asked.push(questions);
    return given[asked.length - 1] ?? null;
  });
  return { answer, asked };
}

const whole = form(
  {
    name: { type: "string", minLength: 2, title: "Name" },
    age: { type: "integer", minimum: 18 },
    mail: { type: "string", format: "email" },
    news: { type: "boolean", description: "Letters, once a month" },
    size: {
      type: "string",
      oneOf: [
        { const: "s", title: "Small" },
        { const: "l", title: "Large" },
      ],
    },
    likes: {
      type: "array",
      items: {
        anyOf: [
          { const: "a", title: "Apples" },
          { const: "b", title: "Pears" },
        ],
      },
    },
  },
  ["name", "age"],
);

test("a form becomes a question for each field, and the answers its content by the fields' own types", async () => {
  const given = [["Ada"], ["36"], ["ada@example.org"], ["Yes"], ["Large"], ["Apples", "Pears"]];
  const { answer, asked } = await answered(
    whole,
    given.map((chosen) => ({ chosen })),
  );
  expect(answer).toEqual({
    action: "accept",
    content: { name: "Ada", age: 36, mail: "ada@example.org", news: true, size: "l", likes: ["a", "b"] },
  });
  const [questions] = asked;
  expect(must(questions, "one round").map(({ question }) => question)).toEqual([
    "Who are you?\n\nName",
    "age",
    "mail",
    "news: Letters, once a month",
    "size",
    "likes",
  ]);
  expect(must(questions, "one round").map(({ optional = false }) => optional)).toEqual([
    false,
    false,
    true,
    true,
    true,
    true,
  ]);
});

test("fields that need no answer may be left empty, and are left out of the content", async () => {
  const given = [["Ada"], ["36"], [], [], [], []].map((chosen) => ({ chosen }));
  expect((await answered(whole, given)).answer).toEqual({ action: "accept", content: { name: "Ada", age: 36 } });
});

test("answers that do not fit are asked for again with the reason, three times in all", async () => {
  const wrong = [["Ada"], ["seven"], [], [], [], []].map((chosen) => ({ chosen }));
  const { answer, asked } = await answered(whole, wrong, wrong, wrong, wrong);
  expect(answer).toEqual({ action: "decline" });
  expect(asked).toHaveLength(3);
  expect(asked[1]?.[0].question).toContain("age: a whole number is wanted");
});

test.each([
  [whole, null, { action: "decline" }],
  [form({}), [{ chosen: ["Yes, go on"] }], { action: "accept", content: {} }],
  [form({}), [{ chosen: ["No"] }], { action: "decline" }],
  [
    { mode: "url", message: "Pay", url: "https://example.org/pay" },
    [{ chosen: ["I have done that"] }],
    { action: "accept" },
  ],
  [{ mode: "url", message: "Pay", url: "https://example.org/pay" }, [{ chosen: ["yes"] }], { action: "decline" }],
])("only an answer that says so accepts: %j, %j", async (params, given, expected) => {
  expect((await answered(params, given)).answer).toEqual(expected);
});
