import { expect, test } from "vitest";
import type { TagForm } from "../base/grammar.ts";
import { guardOf } from "./dialect-guard.ts";

test.each<[open: string, close: string, forms: readonly Omit<TagForm, "around">[]]>([
  ["<param>", "</param>", [{ open: "<param>", close: "</param>" }]],
  ["<p={name}>", "</p>", [{ open: "<p=", openEnd: ">", close: "</p>" }]],
  ["<{name}>", "</{name}>", [{ open: "<", openEnd: ">", close: "</", closeEnd: ">" }]],
  ['<p name="{name}" kind="x">', "</p>", [{ open: '<p name="', openEnd: '"', openUntil: ">", close: "</p>" }]],
  ["<p:{name}", "</p:{name}", [{ open: "<p:", close: "</p:" }]],
  ["[call {name}]", "", [{ open: "[call ", close: "[call " }]],
])("a value between %s and %s holds none of its tags", (open, close, forms) => {
  const { tags } = guardOf([[open, close, "value"]]) as { readonly tags: readonly TagForm[] };
  expect(tags).toEqual(forms.map((form) => ({ around: "value", ...form })));
});

test("a pair that is put around values and around calls is looked for once", () => {
  const { tags } = guardOf([
    ["<p>", "</p>", "value"],
    ["<p>", "</p>", "call"],
    ["<q>", "</q>", "value"],
  ]) as { readonly tags: readonly TagForm[] };
  expect(tags).toEqual([
    { around: "value", open: "<p>", close: "</p>" },
    { around: "value", open: "<q>", close: "</q>" },
  ]);
});
