import { expect, test } from "vitest";
import { errorCodeOf, unlessMissing } from "./error-code.ts";

test.each<[problem: unknown, code: string | undefined]>([
  [Object.assign(new Error("gone"), { code: "ENOENT" }), "ENOENT"],
  [Object.assign(new Error("numbered"), { code: 5 }), undefined],
  [new Error("plain"), undefined],
  [{ code: "ENOENT" }, undefined],
  [null, undefined],
])("the code of %o is %s", (problem, code) => {
  expect(errorCodeOf(problem)).toBe(code);
});

test("only a missing file is let pass", () => {
  expect(unlessMissing(Object.assign(new Error("gone"), { code: "ENOENT" }))).toBeUndefined();
  const denied = Object.assign(new Error("denied"), { code: "EACCES" });
  expect(() => unlessMissing(denied)).toThrow(denied);
});
