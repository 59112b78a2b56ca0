import { expect, test } from "vitest";
import { exactParameters, knownSoFar, ParametersSoFar, shownParameters } from "./call-parameters.ts";

const parameters = {
  lease_id: "l",
  start_line: 3,
  patch: "@@ -1 +1 @@\n-a “b”\n+\u{1f600}\n",
  list: ["x", { y: "" }],
  empty: "",
};
const json = JSON.stringify(parameters);

test("ParametersSoFar shows streaming parameters, and in the end the same as for a stored call", () => {
  for (const size of [1, 2, 7, json.length]) {
    const soFar = new ParametersSoFar();
    for (let end = size; end < json.length + size; end += size) soFar.read(json.slice(0, end));
    expect(soFar.read(json)).toEqual(shownParameters(parameters));
  }
});

test("a streaming text grows and is whole only at its end", () => {
  const soFar = new ParametersSoFar();
  expect(soFar.read('{"lease_id":"l","patch":"@@ -1')).toEqual([
    { name: "lease_id", text: "l", whole: true },
    { name: "patch", text: "@@ -1", whole: false },
  ]);
  expect(soFar.read('{"lease_id":"l","patch":"@@ -1 +1 @@\\n-').at(-1)).toEqual({
    name: "patch",
    text: "@@ -1 +1 @@\n-",
    whole: false,
  });
  expect(soFar.read('{"lease_id":"l","patch":"@@ -1 +1 @@\\n-a"}').at(-1)).toMatchObject({ whole: true });
});

test("knownSoFar returns only whole parameters", () => {
  const soFar = new ParametersSoFar();
  expect(knownSoFar(soFar.read('{"start_line":3,"query":"rive'))).toEqual({ start_line: 3 });
});

test("ParametersSoFar restarts for a different text and shows nothing for invalid JSON", () => {
  const soFar = new ParametersSoFar();
  soFar.read('{"a":"x');
  expect(soFar.read('{"b":1}')).toEqual([{ name: "b", text: "1", whole: true }]);
  expect(new ParametersSoFar().read("<tool>")).toEqual([]);
});

test("exactParameters shows every character of a call, and its line breaks", () => {
  const shown = exactParameters({
    command: "curl a.example\n\tsh \u202egnp.exe\u200b\r\u{e0041}",
    "to\u2066": ["x\u202e", "\u{e0041}"],
  });
  expect(shown).toEqual([
    { name: "command", text: "curl a.example\n\tsh \\u202egnp.exe\\u200b\\u000d\\u{e0041}" },
    { name: "to\\u2066", text: '["x\\u202e","\\udb40\\udc41"]' },
  ]);
});
