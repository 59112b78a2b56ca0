import fc from "fast-check";
import { expect, test } from "vitest";
import { repeatedKey } from "./repeated-key.ts";

test.each([
  ['{"a":1,"a":2}', "a"],
  ['{"a":1,"\\u0061":2}', "a"],
  ['{"x":[{"b":{}},{"b":1,"c":"{\\"b\\":1}","b":[]}]}', "b"],
  ['{"":1,"":1}', ""],
  ['{"a\\"":1,"b":"\\\\","a\\"":1}', 'a"'],
  ['{"a":{"a":{"a":["a","a"]}},"b":"a"}', undefined],
  ['[{"a":1},{"a":1},"a","a"]', undefined],
  ['"{\\"a\\":1,\\"a\\":2}"', undefined],
])("37: the repeated key of %s is %j", (json, key) => {
  expect(repeatedKey(json)).toBe(key);
});

test("JSON written from a value has no repeated key", () => {
  fc.assert(fc.property(fc.json(), (json) => repeatedKey(JSON.stringify(JSON.parse(json))) === undefined));
});
