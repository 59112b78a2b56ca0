import * as v from "valibot";
import { expect, test } from "vitest";
import { factsOfIssues } from "./issues.ts";
import { modelId, rootId, title } from "./parts.ts";

const shape = v.object({ model: modelId, root: rootId, tall: v.number(), name: v.pipe(v.string(), v.maxLength(3)) });

test("an issue names the expected form in the schema's words, never with the given value", () => {
  const given = { model: "secret", root: "a secret", tall: "secret", name: "secret" };
  const read = v.safeParse(shape, given);
  const { issues } = factsOfIssues(read.issues ?? []);
  expect(issues).toEqual([
    { path: "model", expected: "a model as provider/model" },
    { path: "root", expected: "an id: 1 to 200 letters, digits and _ . : / -" },
    { path: "tall", expected: "number" },
    { path: "name", expected: "<=3" },
  ]);
  expect(factsOfIssues(v.safeParse(title, "half \ud800").issues ?? []).issues).toEqual([
    { path: "", expected: "whole characters" },
  ]);
});

test("an issue about a missing field says that none was given, and one about an unknown field that there is no such field", () => {
  const strict = v.strictObject({ title: v.string() });
  expect(factsOfIssues(v.safeParse(strict, {}).issues ?? []).issues).toEqual([
    { path: "title", expected: "a value; none was given" },
  ]);
  expect(factsOfIssues(v.safeParse(strict, { title: "A", titel: "B" }).issues ?? []).issues).toEqual([
    { path: "titel", expected: "no such field" },
  ]);
});
