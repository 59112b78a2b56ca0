import { expect, test } from "vitest";
import { RepeatedJson } from "./repeated-json.ts";

const isNamed = (value: unknown): value is { readonly name: string } =>
  typeof value === "object" && value !== null && "name" in value && typeof value.name === "string";

test("a text that comes again has the value of the first time, and is checked once", () => {
  let checked = 0;
  const known = new RepeatedJson((value): value is { readonly name: string } => {
    checked += 1;
    return isNamed(value);
  });
  const [first, again, other] = ['{"name":"Ada"}', '{"name":"Ada"}', '{"name":"Bo"}'].map((text) => known.read(text));
  expect([first, other, checked]).toEqual([{ name: "Ada" }, { name: "Bo" }, 2]);
  expect(again).toBe(first);
});

test("what is refused is refused each time, and what is no JSON throws", () => {
  const known = new RepeatedJson(isNamed);
  expect([known.read("{}"), known.read("{}"), known.read("null")]).toEqual([undefined, undefined, undefined]);
  expect(() => known.read("{")).toThrow(SyntaxError);
});

test("thousands of texts are read as they are, and are not all kept", () => {
  const known = new RepeatedJson(isNamed);
  const textOf = (number: number): string => JSON.stringify({ name: `person ${number}` });
  const first = known.read(textOf(0));
  for (let number = 0; number < 3_000; number += 1) {
    expect(known.read(textOf(number))).toEqual({ name: `person ${number}` });
  }
  expect(known.read(textOf(0))).not.toBe(first);
});
