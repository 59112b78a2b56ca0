import fc from "fast-check";
import { expect, test } from "vitest";
import { readBoundedJson } from "./bounded-json.ts";

test("JSON within the limits is read as JSON.parse reads it", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const text = JSON.stringify(value);
      fc.pre(!text.includes("__proto__"));
      expect(readBoundedJson(text)).toEqual({ ok: true, value: JSON.parse(text) });
    }),
  );
});

test.each([
  ["34: depth of 100,000", "[".repeat(100_000), "FRAME_MALFORMED"],
  ["depth of 65", `${"[".repeat(65)}${"]".repeat(65)}`, "FRAME_MALFORMED"],
  ["depth of 64", `${"[".repeat(64)}${"]".repeat(64)}`, "read"],
  ["a hundred lists side by side", `[${"[],".repeat(100)}[]]`, "read"],
  ["as many values as there may be", `[${"1,".repeat(99_998)}1]`, "read"],
  ["brackets inside a string", `"${"[{,".repeat(200_000)}"`, "read"],
  [
    "35: a hundred thousand keys",
    `{${Array.from({ length: 100_001 }, (_, key) => `"${key}":1`).join(",")}}`,
    "FRAME_TOO_LARGE",
  ],
  ["an escaped quote before brackets", `["\\"${"[".repeat(100)}"]`, "read"],
  ["half an object", '{"a":', "FRAME_MALFORMED"],
  ["a string without an end", '"abc', "FRAME_MALFORMED"],
  ["nothing", "", "FRAME_MALFORMED"],
])("%s: %#", (_name, text, expected) => {
  const read = readBoundedJson(text);
  expect(read.ok ? "read" : read.error.code).toBe(expected);
});

test.each([
  '{"a":{"__proto__":{"admin":true}}}',
  '{"a":{"\\u005f_proto__":{"admin":true}}}',
  '{"a":[{"__pr\\u006fto__":1}]}',
])("36: the key __proto__ of %s is dropped", (text) => {
  const read = readBoundedJson(text);
  expect(JSON.stringify(read)).toMatch(/^\{"ok":true,"value":\{"a":(\{\}|\[\{\}\])\}\}$/);
});
