import { expect, test } from "vitest";
import type { JsonObject } from "../base/json.ts";
import { versionNames, withVersionName } from "./version-names.ts";

const header = (metadata: JsonObject) => ({ metadata });

test.each<[string, JsonObject, readonly [string, string][]]>([
  ["no field", {}, []],
  ["a field of another kind", { version_names: ["12-9f86d081"] }, []],
  [
    "names",
    { version_names: { "12-9f86d081": "Sent", "3-00000000": "First" } },
    [
      ["12-9f86d081", "Sent"],
      ["3-00000000", "First"],
    ],
  ],
  [
    "values that are no names",
    { version_names: { "1-00000000": 3, "2-00000000": "", "3-00000000": "First" } },
    [["3-00000000", "First"]],
  ],
])("17.17 names are read from metadata with %s", (_case, metadata, names) => {
  expect([...versionNames(header(metadata))]).toEqual(names);
});

test("17.17 a name is added, changed and removed beside the others", () => {
  const one = withVersionName(header({ title: "Ode" }), "1-00000000", "First");
  expect(one).toEqual({ version_names: { "1-00000000": "First" } });
  const two = withVersionName(header(one), "2-00000000", "Second");
  expect(withVersionName(header(two), "1-00000000", "Draft")).toEqual({
    version_names: { "1-00000000": "Draft", "2-00000000": "Second" },
  });
  expect(withVersionName(header(two), "1-00000000", "")).toEqual({ version_names: { "2-00000000": "Second" } });
  expect(withVersionName(header(one), "1-00000000", "")).toEqual({ version_names: null });
});
