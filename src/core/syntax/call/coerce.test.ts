import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../base/json.ts";
import { coerceJson, coerceList, coerceText } from "./coerce.ts";

const text: JsonObject = { type: "string" };
const bad = "BAD_TYPE";

describe("coerceText", () => {
  test.each<[string, JsonObject, Json]>([
    ["&lt;b&gt; stays", text, "&lt;b&gt; stays"],
    ["null", text, "null"],
    ["null", { type: ["string", "null"] }, null],
    ["TRUE", { type: "boolean" }, true],
    [" false ", { type: "boolean" }, false],
    ["yes", { type: "boolean" }, bad],
    ["", { type: "boolean" }, bad],
    ["12", { type: "integer" }, 12],
    ["-0", { type: "integer" }, 0],
    ["1.5", { type: "integer" }, bad],
    ["1.5e3", { type: "number" }, 1500],
    ["NaN", { type: "number" }, bad],
    ["Infinity", { type: "number" }, bad],
    ["1e999", { type: "number" }, bad],
    ["0x10", { type: "number" }, bad],
    ["fast", { type: "string", enum: ["fast", "slow"] }, "fast"],
    ["quick", { type: "string", enum: ["fast", "slow"] }, bad],
    ["2", { enum: [1, 2] }, 2],
    ['["a","b"]', { type: "array", items: text }, ["a", "b"]],
    ["a", { type: "array", items: text }, ["a"]],
    ["3", { type: "array", items: { type: "integer" } }, [3]],
    ["[a, b]", { type: "array", items: text }, bad],
    ['{"a":1}', { type: "object" }, { a: 1 }],
    ["{a:1}", { type: "object" }, bad],
    ["[1e400]", { type: "array" }, bad],
    ['{"a":{"b":-1e400}}', { type: "object" }, bad],
    ['{"a":1,"a":2}', { type: "object" }, bad],
    ["5", { anyOf: [text, { type: "integer" }] }, 5],
    ["true", {}, true],
    ["words", {}, "words"],
    ["[", {}, "["],
  ])("coerceText of %j as %j is %j", (given, schema, expected) => {
    const read = coerceText(given, schema);
    expect(read.ok ? read.value.value : read.error.code).toEqual(expected);
  });

  test("coerceText keeps an integer beyond the safe range as text, with a warning", () => {
    expect(coerceText("9007199254740993", { type: "integer" })).toEqual({
      ok: true,
      value: { value: "9007199254740993", warning: expect.stringContaining("beyond 9007199254740991") },
    });
  });
});

describe("T-39 coerceJson", () => {
  const list: JsonObject = { type: "array", items: text };
  test.each<[string, Json, JsonObject, Json]>([
    ["a single value where a list is wanted", "a", list, ["a"]],
    ["a list stays", ["a"], list, ["a"]],
    ["null stays where it may", null, { type: ["array", "null"], items: text }, null],
    ["a single value of a list that may be null", "a", { type: ["array", "null"], items: text }, ["a"]],
    ["inside an object", { p: "a" }, { type: "object", properties: { p: list } }, { p: ["a"] }],
    ["a text where a text would do", "a", { anyOf: [text, list] }, "a"],
    ["a number for a text", 5, text, bad],
    ["a text for a number", "5", { type: "number" }, bad],
    ["a whole number for a number", 5, { type: "number" }, 5],
    ["a value outside the enum", "x", { type: "string", enum: ["y"] }, bad],
  ])("%s", (_name, given, schema, expected) => {
    const read = coerceJson(given, schema);
    expect(read.ok ? read.value.value : read.error.code).toEqual(expected);
  });
});

describe("coerceList", () => {
  const point: JsonObject = { type: "object", properties: { tags: { type: "array", items: text } } };
  test.each<[readonly string[], JsonObject, Json]>([
    [["1", "-2"], { type: "integer" }, [1, -2]],
    [["1.5", "2"], { type: "number" }, [1.5, 2]],
    [["TRUE", "false"], { type: "boolean" }, [true, false]],
    [["null", "3"], { type: ["integer", "null"] }, [null, 3]],
    [['{"tags":"a"}'], point, [{ tags: ["a"] }]],
    [["[1]", "[]"], { type: "array", items: { type: "integer" } }, [[1], []]],
    [["1", "two"], { type: "integer" }, bad],
    [["yes"], { type: "boolean" }, bad],
    [["{a}"], point, bad],
  ])("coerceList of %j as %j is %j", (elements, items, expected) => {
    const read = coerceList(elements, { type: "array", items });
    expect(read.ok ? read.value.value : read.error.code).toEqual(expected);
  });
});
