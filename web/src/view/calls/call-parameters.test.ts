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

test("parameters are shown as they come, and in the end as they are shown when the call is stored", () => {
  for (const size of [1, 2, 7, json.length]) {
    const soFar = new ParametersSoFar();
    for (let end = size; end < json.length + size; end += size) soFar.read(json.slice(0, end));
    expect(soFar.read(json)).toEqual(shownParameters(parameters));
  }
});

test("a text grows while it comes, and is called whole only at its end", () => {
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

test("what can be said already are whole parameters", () => {
  const soFar = new ParametersSoFar();
  expect(knownSoFar(soFar.read('{"start_line":3,"query":"rive'))).toEqual({ start_line: 3 });
});

test("another text than before begins anew, and what is no JSON shows nothing", () => {
  const soFar = new ParametersSoFar();
  soFar.read('{"a":"x');
  expect(soFar.read('{"b":1}')).toEqual([{ name: "b", text: "1", whole: true }]);
  expect(new ParametersSoFar().read("<tool>")).toEqual([]);
});

test("who is to judge a call sees every sign of it, and its lines as lines", () => {
  const shown = exactParameters({
    command: "curl a.example\n\tsh \u202egnp.exe\u200b\r\u{e0041}",
    "to\u2066": ["x\u202e", "\u{e0041}"],
  });
  expect(shown).toEqual([
    { name: "command", text: "curl a.example\n\tsh \\u202egnp.exe\\u200b\\u000d\\u{e0041}" },
    { name: "to\\u2066", text: '["x\\u202e","\\udb40\\udc41"]' },
  ]);
});
