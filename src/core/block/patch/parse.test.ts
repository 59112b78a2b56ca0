import { expect, test } from "vitest";
import { parsePatch } from "./parse.ts";

const hunk = "@@ -1,2 +1,2 @@\n a\n-b\n+B\n";

/** Writes the hunks' bodies as a patch does. */
function bodies(patch: string): unknown {
  const parsed = parsePatch(patch);
  const marks = { context: " ", deleted: "-", added: "+" };
  if (!parsed.ok) return `${parsed.error.code} ${parsed.error.line}`;
  return parsed.value.hunks.map(({ lines }) => lines.map(({ type, text }) => marks[type] + text).join("|"));
}

test.each<readonly [name: string, patch: string]>([
  ["nothing around it", hunk],
  ["no final newline", hunk.slice(0, -1)],
  ["file names", `--- a/c.md\n+++ b/c.md\n${hunk}`],
  ["the old file's name alone", `--- a/c.md\n${hunk}`],
  ["git's own lines", `diff --git a/c.md b/c.md\nindex 83db48f..bf2a1c3 100644\n--- a/c.md\n+++ b/c.md\n${hunk}`],
  [
    "a moved file",
    `diff --git a/b.md b/c.md\nsimilarity index 90%\nrename from b.md\nrename to c.md\n--- a/b.md\n+++ b/c.md\n${hunk}`,
  ],
  [
    "a new file",
    `diff --git a/c.md b/c.md\nnew file mode 100644\nindex 0000000..bf2a1c3\n--- /dev/null\n+++ b/c.md\n${hunk}`,
  ],
  ["words before it", `Here is the patch:\n\n${hunk}`],
  ["a fence", `\`\`\`diff\n${hunk}\`\`\`\n`],
  ["blank lines after it", `${hunk}\n\n`],
  ["carriage returns", hunk.replaceAll("\n", "\r\n")],
  ["carriage returns and no final newline", hunk.replaceAll("\n", "\r\n").slice(0, -1)],
  ["a fence of tildes", `~~~~diff\n${hunk}~~~~\n`],
  ["words after its fence", `\`\`\`diff\n${hunk}\`\`\`\nThat was all.\n- and this\n`],
  ["words after a blank line", `${hunk}\nThis says B for b.\n\nThat was all.\n`],
  ["no @@ behind its range", hunk.replace(" @@\n", "\n")],
  ["an envelope", `*** Begin Patch\n*** Update File: c.md\n${hunk}*** End Patch\n`],
  ["an envelope without a header", "*** Begin Patch\n*** Update File: c.md\n a\n-b\n+B\n*** End Patch\n"],
  ["a tight header", hunk.replace(" @@", "@@")],
])("a hunk with %s is parsed", (_name, patch) => {
  expect(bodies(patch)).toEqual([" a|-b|+B"]);
});

test.each<readonly [name: string, patch: string, verdict: string]>([
  ["a context line without its space", "@@ -1,3 +1,3 @@\n-a\n+A\nb\n c\n", "BAD_LINE 4"],
  ["words after it", `${hunk}That was all.\n`, "BAD_LINE 5"],
  ["a line without a mark after a blank one", `${hunk}\nThat was all.\n-b\n`, "BAD_LINE 6"],
  ["a malformed header", "@@ -x,1 +1 @@\n-a\n", "BAD_LINE 1"],
  ["a negative line", "@@ --5,1 +1 @@\n-a\n", "BAD_LINE 1"],
  ["a huge line number", "@@ -2147483648,1 +1 @@\n-a\n", "BAD_LINE 1"],
  ["a header alone", "@@ -1,2 +1,2 @@\n", "BAD_LINE 1"],
  ["a marker without a line before it", "@@ -1 +1 @@\n\\ No newline at end of file\n-a\n", "BAD_LINE 2"],
  ["lines after the marked one", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n-b\n", "BAD_LINE 4"],
  [
    "two files with a blank line above the second hunk",
    `--- a/x\n+++ b/x\n${hunk}--- a/y\n+++ b/y\n\n${hunk}`,
    "MULTI_FILE 7",
  ],
  ["two files", `--- a/x\n+++ b/x\n${hunk}--- a/y\n+++ b/y\n${hunk}`, "MULTI_FILE 7"],
  [
    "another file with only a mode change",
    `${hunk}diff --git a/x b/x\n`.replace("@@ -1", "diff --git a/c b/c\n@@ -1"),
    "MULTI_FILE 6",
  ],
  ["no hunk", "--- a/x\n+++ b/x\n", "NO_HUNKS 1"],
  ["nothing", "", "NO_HUNKS 1"],
  ["too many lines", " a\n".repeat(100_001), "TOO_LARGE 100000"],
])("a patch with %s is refused", (_name, patch, verdict) => {
  expect(bodies(patch)).toBe(verdict);
});

test.each([
  ["@@ -3,2 +4,1 @@", 3],
  ["@@ -3 +4 @@ and a name", 3],
  ["@@ -999999999,2 +4 @@", 999_999_999],
  ["@@ -1000000000,2 +4 @@", 1_000_000_000],
  ["@@  -3,2  +4,1 @@", 3],
  ["@@-3,2 +4,1@@", 3],
  ["@@ -3, +4 @@", "BAD_LINE"],
  ["@@ - +4 @@", "BAD_LINE"],
  ["@@ -3 + @@", "BAD_LINE"],
  ["@@ -3,2 +4", 3],
  ["@@ -3,2 +4 x", "BAD_LINE"],
  ["@@ -3 +4 x @@", "BAD_LINE"],
])("a header %j", (header, expected) => {
  const parsed = parsePatch(`${header}\n-a\n\`\`\`\n`);
  expect(parsed.ok ? parsed.value.hunks[0]?.oldStart : parsed.error.code).toBe(expected);
});

test("deleted dashes above added pluses are lines when the counts say so", () => {
  expect(bodies("@@ -1,2 +1,2 @@\n a\n--- x\n+++ y\n@@ -9 +9 @@\n-b\n+B\n")).toEqual([" a|--- x|+++ y", "-b|+B"]);
});

test.each([
  ["@@ -1,6 +1,6 @@\n a\n-b\n-c\n-d\n", "TRUNCATED 1"],
  ["@@ -1,6 +1,6 @@\n a\n-b\n+B\n c\n", "TRUNCATED 1"],
  ["@@ -1,6 +1,6 @@\n a\n-b\n+B", "TRUNCATED 1"],
  ["@@ -1 +1 @@\n-a\n+A\n@@ -9,3 +9,3 @@\n i\n", "TRUNCATED 4"],
  ["```diff\n@@ -1,6 +1,6 @@\n a\n-b\n", "TRUNCATED 2"],
])("15.11 a patch that ends inside a hunk is refused: %j", (patch, verdict) => {
  expect(bodies(patch)).toBe(verdict);
});

test.each([
  "@@ -1,9 +1,9 @@\n a\n-b\n```\n",
  "@@ -1,9 +1,0 @@\n a\n-b\n",
  "@@ -1,9 +1,9 @@\n a\n-b\n@@ -9 +9,0 @@\n-c\n",
])("15.11 wrong counts of a hunk that is whole are forgiven: %j", (patch) => {
  expect(bodies(patch)).toContain(" a|-b");
});

test("15.13 ignored text is told, from its line on", () => {
  const parsed = parsePatch(`${hunk}\nThat was all.\n`);
  expect(parsed.ok && parsed.value.warnings).toEqual([
    { code: "TEXT_IGNORED", hunk: 1, message: "The text after the patch, from its line 6 on, was ignored." },
  ]);
});

test("blank lines at the end are context only when the counts include them", () => {
  expect(bodies("@@ -1,2 +1,2 @@\n-a\n+A\n\n\n")).toEqual(["-a|+A| "]);
  expect(bodies("@@ -1,1 +1,1 @@\n-a\n+A\n\n@@ -5 +5,0 @@\n-b\n")).toEqual(["-a|+A", "-b"]);
  expect(bodies("@@\n-a\n+A\n\n")).toEqual(["-a|+A"]);
  // A blank line would be one line too many on the other side.
  expect(bodies("@@ -1,2 +1 @@\n-a\n+A\n\n@@ -5 +5,0 @@\n-b\n")).toEqual(["-a|+A", "-b"]);
  expect(bodies("@@ -1 +1,2 @@\n-a\n+A\n\n@@ -5 +5,0 @@\n-b\n")).toEqual(["-a|+A", "-b"]);
});

test("new and deleted files have no name that could conflict", () => {
  expect(bodies("--- /dev/null\n+++ b/c.md\n@@ -0,0 +1 @@\n+a\n")).toEqual(["+a"]);
  expect(bodies("--- a/c.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n")).toEqual(["-a"]);
});
