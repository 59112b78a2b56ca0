import { expect, test } from "vitest";
import type { JsonObject } from "../../base/json.ts";
import type { NestedForm } from "../base/grammar.ts";
import { readNested } from "./nested-elements.ts";

const form: NestedForm = { open: "<", openEnd: ">", close: "</", closeEnd: ">", item: "item" };
const names: JsonObject = { type: "array", items: { type: "string" } };
const place: JsonObject = {
  type: "object",
  properties: { line: { type: "integer" }, tags: names },
  additionalProperties: false,
};

function read(text: string, schema: JsonObject): unknown {
  return readNested(text, { form, schema, isParameter: (name) => name === "path" });
}

test.each<[string, JsonObject, unknown]>([
  ["<item>a</item><item>b</item>", names, ["a", "b"]],
  ["\n<item>a</item>\n <item> b </item>\n", names, ["a", " b "]],
  ["<line>3</line><tags><item>x</item></tags>", place, { line: 3, tags: ["x"] }],
  ["<line> 3 </line>", place, { line: 3 }],
])("%j is what its schema wants", (text, schema, value) => {
  expect(read(text, schema)).toEqual(value);
});

test.each<[string, string, JsonObject]>([
  ["a leaf with the sign of another tag", "<item>a<b</item>", names],
  ["an element that is not closed", "<item>a", names],
  ["an element that is closed under another name", "<item>a</other>", names],
  ["a leaf that is not closed", "<line>3", place],
  ["words between elements", "<item>a</item> and <item>b</item>", names],
  ["words before elements", "so <item>a</item>", names],
  ["a field twice", "<line>3</line><line>4</line>", place],
  ["a field that is a parameter", "<line>3</line><path>a</path>", place],
  ["a leaf of another type", "<line>three</line>", place],
  ["items beside fields", "<item>a</item><line>3</line>", { type: ["array", "object"], items: { type: "string" } }],
  ["a list where words are wanted", "<item>a</item>", { type: "string" }],
])("%s is no such value: %j", (_why, text, schema) => {
  expect(read(text, schema)).toBeUndefined();
});
