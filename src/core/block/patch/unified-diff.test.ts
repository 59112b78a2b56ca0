import fc from "fast-check";
import { expect, test } from "vitest";
import { scaled } from "../../../../test/scale.ts";
import { applyChanges } from "../change/text-change.ts";
import { planPatch } from "./apply.ts";
import { unifiedDiff } from "./unified-diff.ts";

const lines = fc.array(fc.constantFrom("a", "b", "c", "", "- x", "+ y", "@@", "\\ z"), { maxLength: 12 });
const text = fc
  .tuple(lines, fc.boolean())
  .map(([list, terminated]) => list.join("\n") + (terminated && list.length > 0 ? "\n" : ""));

test("unifiedDiff of equal texts is empty, also with a name", () => {
  expect(unifiedDiff("a\nb", "a\r\nb", { name: "canvas.md" })).toBe("");
});

test("unifiedDiff writes context, names and markers", () => {
  const before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10";
  expect(unifiedDiff(before, before.replace("2", "two").replace("10", "ten\n"), { name: "canvas.md" })).toBe(
    `--- a/canvas.md
+++ b/canvas.md
@@ -1,5 +1,5 @@
 1
-2
+two
 3
 4
 5
@@ -7,4 +7,4 @@
 7
 8
 9
-10
\\ No newline at end of file
+ten
`,
  );
});

test("near changes share a hunk, and fewer context lines separate them", () => {
  const [before, after] = ["a\nb\nc\nd\ne\n", "A\nb\nc\nd\nE\n"];
  expect(unifiedDiff(before, after).match(/^@@/gm)).toHaveLength(1);
  expect(unifiedDiff(before, after, { contextLines: 0 })).toBe("@@ -1 +1 @@\n-a\n+A\n@@ -5 +5 @@\n-e\n+E\n");
});

test("equal texts, and texts that differ only in carriage returns, have no diff", () => {
  expect(unifiedDiff("a\nb", "a\nb")).toBe("");
  expect(unifiedDiff("a\r\nb\r\n", "a\nb\n")).toBe("");
  expect(unifiedDiff("", "a\n")).toBe("@@ -0,0 +1 @@\n+a\n");
  expect(unifiedDiff("a\n", "")).toBe("@@ -1 +0,0 @@\n-a\n");
});

test("P14 applying a diff gives the other text", () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const diff = unifiedDiff(before, after);
      expect(diff === "").toBe(before === after);
      if (diff === "") return;
      const plan = planPatch(before, diff);
      if (!plan.ok) throw new Error(`${plan.error.message}\n${diff}`);
      expect(applyChanges(before, plan.value.changes)).toBe(after);
      expect(plan.value).toMatchObject({ warnings: [], offsets: plan.value.offsets.map(() => 0) });
    }),
    { numRuns: scaled(20_000) },
  );
});

test("P14 a diff applies after lines were added above", () => {
  const unique = fc.uniqueArray(fc.nat(1000).map(String), { minLength: 6, maxLength: 20 });
  fc.assert(
    fc.property(unique, fc.nat(), fc.nat(5), (list, seed, above) => {
      const before = list.map((line) => `${line}\n`).join("");
      const after = list
        .with(seed % list.length, "changed")
        .map((line) => `${line}\n`)
        .join("");
      const head = Array.from({ length: above }, (_, index) => `above ${index}\n`).join("");
      const plan = planPatch(head + before, unifiedDiff(before, after));
      expect(plan.ok && applyChanges(head + before, plan.value.changes)).toBe(head + after);
    }),
  );
});

test("a carriage return at the end of a text without a final newline is text", () => {
  expect(unifiedDiff("a\nb\r", "a\nb")).toContain("-b\r\n");
  expect(unifiedDiff("a\nb\r", "a\nb\r\n")).not.toBe("");
});
