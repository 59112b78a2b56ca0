import { expect, test } from "vitest";
import { patchText } from "./patch-text.ts";
import { countChanges } from "./tool-summary.ts";

const hunk = "@@ -1 +1,2 @@\n-a\n+b\n+c\n";

test("patchText puts each file's diff under its path once, and countChanges counts them together", () => {
  const files = [
    { path: "a.md", patch: hunk },
    { path: "b.md", patch: `--- a/b.md\n+++ b/b.md\n${hunk}` },
  ];
  const text = patchText({ files }) ?? "";
  const lines = hunk.trimEnd();
  expect(text).toBe(`--- a.md\n+++ a.md\n${lines}\n--- b.md\n+++ b.md\n${lines}\n`);
  expect(countChanges(text)).toEqual({ added: 4, removed: 2 });
});

test.each([
  [{ patch: hunk }, hunk],
  [{ patch: "" }, null],
  [{ files: [{ path: "a.md" }, "b.md", null] }, null],
  [{ files: [{ path: "a.md", patch: "no hunk yet" }] }, "--- a.md\n+++ a.md\nno hunk yet\n"],
  [{}, null],
])("%j brings %j", (input, text) => {
  expect(patchText(input)).toBe(text);
});
