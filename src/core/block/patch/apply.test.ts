import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scaled } from "../../../../test/scale.ts";
import { applyChanges } from "../change/text-change.ts";
import { planPatch } from "./apply.ts";

/** The text after the patch, or the reason for the refusal. */
function patched(text: string, patch: string): unknown {
  const plan = planPatch(text, patch);
  return plan.ok ? applyChanges(text, plan.value.changes) : plan.error.details?.["reason"];
}

function lines(...list: readonly string[]): string {
  return list.map((line) => `${line}\n`).join("");
}

const numbered = lines(...Array.from({ length: 40 }, (_, index) => `line ${index + 1}`));

describe("the acceptance table", () => {
  test.each<readonly [name: string, text: string, patch: string, expected: string]>([
    ["P1 a patch without hunks is refused", "a\nb\n", "hello world", "NO_HUNKS"],
    ["P2 a patch may end in a newline", "a\nb\nc", "@@ -2,1 +2,1 @@\n-b\n+B\n", "a\nB\nc"],
    ["P2b the marker may be missing at an end without newline", "a\nb\nc", "@@ -2,2 +2,2 @@\n-b\n+B\n c\n", "a\nB\nc"],
    ["P3 an insertion into the empty text", "", "@@ -0,0 +1,1 @@\n+x\n", "x\n"],
    ["P4 counts are recomputed from the body", "a\nb\nc", "@@ -2,9 +2,0 @@\n-b\n+B\n", "a\nB\nc"],
    ["P5 a blank context line may lack its space", "a\n\nc\n", "@@ -1,3 +1,3 @@\n-a\n+A\n\n c\n", "A\n\nc\n"],
    [
      "P6 file names may be repeated between hunks",
      numbered,
      "--- a/c.md\n+++ b/c.md\n@@ -1 +1 @@\n-line 1\n+one\n--- a/c.md\n+++ b/c.md\n@@ -3 +3 @@\n-line 3\n+three\n",
      numbered.replace("line 1\n", "one\n").replace("line 3\n", "three\n"),
    ],
    ["P7 counts of one may be left out", "a\nb", "@@ -1 +1 @@\n-a\n+A\n", "A\nb"],
    ["P8 the document keeps its line ends", "a\r\nb\r\n", "@@ -1,2 +1,3 @@\n-a\n+A\n+x\n b\n", "A\r\nx\r\nb\r\n"],
    ["P8 a CRLF patch fits a text with newlines only", "a\nb\n", "@@ -1,2 +1,2 @@\r\n-a\r\n+A\r\n b\r\n", "A\nb\n"],
    ["P9 an insertion beyond the text is refused", "a", "@@ -5,0 +5,1 @@\n+z\n", "NO_CONTEXT"],
    ["P11 an insertion without context is refused", "a\nb\nc", "@@ -2,0 +3,1 @@\n+X\n", "NO_CONTEXT"],
    [
      "P12 one hunk that does not fit refuses all",
      "a\nb\nc\n",
      "@@ -1 +1 @@\n-a\n+A\n@@ -3 +3 @@\n-x\n+X\n",
      "NO_MATCH",
    ],
    [
      "P13 a marker removes the newline at the end",
      "a\nb\n",
      "@@ -2 +2 @@\n-b\n+b\n\\ No newline at end of file\n",
      "a\nb",
    ],
    ["P13 a marker on the old side adds it", "a\nb", "@@ -2 +2 @@\n-b\n\\ No newline at end of file\n+b\n", "a\nb\n"],
    [
      "P13 a marker on both sides keeps it missing",
      "a\nb",
      "@@ -1,2 +1,2 @@\n-a\n+A\n b\n\\ No newline at end of file\n",
      "A\nb",
    ],
    [
      "P13 an old side that claims a missing newline must be right",
      "a\nb\n",
      "@@ -2 +2 @@\n-b\n\\ No newline at end of file\n+B\n",
      "NO_MATCH",
    ],
    [
      "P13 a marker before the end of the text does not fit",
      "a\nb\nc\n",
      "@@ -2 +2 @@\n-b\n+B\n\\ No newline at end of file\n",
      "NO_MATCH",
    ],
    [
      "P13 a carriage return above a marker is the text's own",
      "a\nb\r",
      "@@ -1,2 +1,2 @@\n a\n-b\r\n\\ No newline at end of file\n+c\r\n\\ No newline at end of file\n",
      "a\nc\r",
    ],
    [
      "P13 a carriage return above a marker with one belongs to the patch",
      "a\nb",
      "@@ -2 +2 @@\r\n-b\r\n\\ No newline at end of file\r\n+c\r\n\\ No newline at end of file\r\n",
      "a\nc",
    ],
  ])("%s", (_name, text, patch, expected) => {
    expect(patched(text, patch)).toBe(expected);
  });

  test("P4 wrong counts are reported in a warning", () => {
    const plan = planPatch("a\nb\nc", "@@ -2,9 +2,0 @@\n-b\n+B\n");
    expect(plan).toMatchObject({ ok: true, value: { warnings: [{ code: "HEADER_COUNT", hunk: 1 }] } });
  });

  test("P10 hunks in any order are placed by the original text", () => {
    const patch = "@@ -30 +31 @@\n-line 30\n+thirty\n@@ -2 +2,2 @@\n line 2\n+two and a half\n";
    expect(patched(numbered, patch)).toBe(
      numbered.replace("line 30\n", "thirty\n").replace("line 2\n", "line 2\ntwo and a half\n"),
    );
  });

  test("P12 every hunk gets a verdict", () => {
    const plan = planPatch("a\nb\nc\n", "@@ -1 +1 @@\n-a\n+A\n@@ -3 +3 @@\n-x\n+X\n@@ -9 +9 @@\n-b\n+B\n");
    expect(plan).toMatchObject({
      ok: false,
      error: {
        code: "PATCH_REJECTED",
        details: {
          hunks: [
            { hunk: 1, ok: true, line: 1, offset: 0 },
            { hunk: 2, ok: false, code: "NO_MATCH", expected: "x", actual: "c", line: 3, actual_lines: ["c"] },
            { hunk: 3, ok: true, line: 2, offset: -7 },
          ],
        },
      },
    });
  });
});

describe("placing a hunk", () => {
  const repeated = lines("start", "x", "y", "middle", "x", "y", "end");

  test("the header's line wins when the hunk fits there, even when it fits elsewhere too", () => {
    expect(patched(repeated, "@@ -5,2 +5,2 @@\n x\n-y\n+Y\n")).toBe(
      lines("start", "x", "y", "middle", "x", "Y", "end"),
    );
  });

  test("otherwise the only place wins, and the distance is reported", () => {
    const plan = planPatch(numbered, "@@ -3,2 +3,2 @@\n line 20\n-line 21\n+new\n");
    expect(plan).toMatchObject({ ok: true, value: { offsets: [17], appliedHunks: 1, verdicts: [{ line: 20 }] } });
  });

  test.each(["@@", "@@ ... @@", "@@ section one"])("a header %j gives no hint", (header) => {
    const plan = planPatch(numbered, `${header}\n line 20\n-line 21\n`);
    expect(plan).toMatchObject({ ok: true, value: { offsets: [0], verdicts: [{ line: 20 }] } });
  });

  test("several places are refused with their lines; the nearest is never chosen", () => {
    const plan = planPatch(repeated, "@@ -3,2 +3,2 @@\n x\n-y\n+Y\n");
    expect(plan).toMatchObject({
      ok: false,
      error: { details: { hunks: [{ code: "AMBIGUOUS", lines: [2, 5], actual_lines: ["x", "y"] }] } },
    });
  });

  test("no place is refused with the nearest one and its first difference", () => {
    const plan = planPatch(numbered, "@@ -3,3 +3,3 @@\n line 20\n-line 2l\n+new\n line 22\n");
    expect(plan).toMatchObject({
      ok: false,
      error: {
        details: {
          hunks: [
            {
              code: "NO_MATCH",
              line: 20,
              expected: "line 2l",
              actual: "line 21",
              actual_lines: ["line 20", "line 21", "line 22"],
              message:
                'Hunk 1 fits nowhere. The nearest place is line 20, but at line 21 there is "line 21", not "line 2l". Copy the actual lines and send the patch again.',
            },
          ],
        },
      },
    });
  });

  test.each([
    ["more lines follow", "a\nb\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+A\n"],
    ["a newline at the end", "a\nb\n", "@@ -2 +2 @@\n-b\n\\ No newline at end of file\n+B\n"],
  ])('a hunk with a wrong "No newline" marker is refused with the actual end: %s', (end, text, patch) => {
    const plan = planPatch(text, patch);
    const message: unknown = expect.stringMatching(new RegExp(`end of the text: ${end}\\.$`));
    expect(plan).toMatchObject({ ok: false, error: { details: { hunks: [{ code: "NO_MATCH", message }] } } });
  });

  test("lines that occur nowhere are refused, with the text at the header's line", () => {
    const plan = planPatch("a\nb\n", "@@ -2 +2 @@\n-q\n+r\n");
    expect(plan).toMatchObject({ ok: false, error: { details: { hunks: [{ line: 2, expected: "q", actual: "b" }] } } });
    const beyond = planPatch("a\nb\n", "@@ -7 +7 @@\n-q\n+r\n");
    expect(beyond).toMatchObject({
      ok: false,
      error: { details: { hunks: [{ line: null, expected: "q", actual: null }] } },
    });
  });

  test.each([
    ["a changed space", "a  b\n"],
    ["a space at the end", "a b \n"],
    ["another case", "A b\n"],
    ["another normal form", "é\n".normalize("NFD")],
  ])("no fuzz is allowed for %s", (_name, text) => {
    expect(patched(text, "@@ -1 +1 @@\n-a b\n+c\n")).toBe("NO_MATCH");
    expect(patched(text, `@@ -1 +1 @@\n-${"é".normalize("NFC")}\n+c\n`)).toBe("NO_MATCH");
  });

  test("a repeated hunk, or a hunk that shares a line with another, is OVERLAP", () => {
    const hunk = "@@ -2,2 +2,2 @@\n line 2\n-line 3\n+three\n";
    expect(patched(numbered, hunk + hunk)).toBe("OVERLAP");
    expect(patched(numbered, `@@ -3 +3 @@\n-line 3\n+3\n@@ -1,3 +1,2 @@\n line 1\n-line 2\n line 3\n`)).toBe("OVERLAP");
    expect(patched("", "@@ -0,0 +1 @@\n+a\n@@ -0,0 +1 @@\n+b\n")).toBe("OVERLAP");
  });

  test("a hunk without a change is EMPTY_HUNK", () => {
    expect(patched(numbered, "@@ -2,2 +2,2 @@\n line 2\n line 3\n")).toBe("EMPTY_HUNK");
    expect(patched(numbered, "@@ -2 +2 @@\n-line 2\n+line 2\n")).toBe("EMPTY_HUNK");
  });

  test("a patch does not apply a second time", () => {
    const patch = "@@ -2,3 +2,3 @@\n line 2\n-line 3\n+three\n line 4\n";
    const once = patched(numbered, patch);
    expect(typeof once === "string" && patched(once, patch)).toBe("NO_MATCH");
  });
});

test("only changed lines are touched, so that others' edits in the context survive", () => {
  const plan = planPatch("a\nb\nc\nd\n", "@@ -1,4 +1,5 @@\n a\n-b\n+B\n c\n+x\n d\n");
  expect(plan).toMatchObject({
    ok: true,
    value: {
      changes: [
        { from: 2, to: 3, insert: "B" },
        { from: 6, to: 6, insert: "x\n" },
      ],
    },
  });
});

test("a marker that asks for the existing state changes nothing", () => {
  const plan = planPatch("a", "@@ -1 +1 @@\n+a\n\\ No newline at end of file\n-a\n");
  expect(plan).toMatchObject({ ok: true, value: { changes: [] } });
});

test("planPatch gives a verdict for each hunk, or refuses the patch, for any input", () => {
  const line = fc.constantFrom(
    "@@ -1,2 +1,2 @@",
    "@@",
    "@@ -2 +9 @@",
    " a",
    "-a",
    "+a",
    " b",
    "-b",
    "+b",
    "",
    "\\ No newline at end of file",
    "--- a",
    "+++ b",
    "x",
    "```",
  );
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("a", "b", ""), { maxLength: 4 }),
      fc.array(line, { maxLength: 10 }),
      (text, patch) => {
        const before = text.join("\n");
        const plan = planPatch(before, patch.join("\n"));
        // A patch may change nothing as a whole: one hunk may restore what another removes.
        if (plan.ok)
          expect([plan.value.appliedHunks > 0, plan.value.verdicts.length]).toEqual([true, plan.value.appliedHunks]);
        else expect(plan.error.code).toBe("PATCH_REJECTED");
      },
    ),
    { numRuns: scaled(2000) },
  );
});

describe("15.12 an insertion that is there already", () => {
  test.each([
    ["at the beginning", "a\nb\nc\n", "@@ -1,2 +1,3 @@\n+new\n a\n b\n", 1],
    ["at the end", "a\nb\nc\n", "@@ -2,2 +2,4 @@\n b\n c\n+new\n+er\n", 4],
    ["at the end, with a bare header", "a\nb\n", "@@\n b\n+new\n", 3],
  ])("%s is refused with its place when the same patch is sent again", (_where, text, patch, line) => {
    const once = String(patched(text, patch));
    const twice = planPatch(once, patch);
    expect(twice).toMatchObject({ ok: false, error: { details: { hunks: [{ code: "ALREADY_APPLIED", line }] } } });
  });

  test("a hunk whose new lines are where it says is refused, though its old lines fit elsewhere", () => {
    const patch = "@@ -1,2 +1,4 @@\n+x\n a\n+b\n b\n";
    expect(patched("a\nb\n", patch)).toBe("x\na\nb\nb\n");
    const twice = planPatch("x\na\nb\nb\n", patch);
    expect(twice).toMatchObject({ ok: false, error: { details: { hunks: [{ code: "ALREADY_APPLIED", line: 1 }] } } });
    // With other lines there, the header is only wrong about its place.
    expect(patched("y\na\nb\n", patch)).toBe("y\nx\na\nb\nb\n");
  });

  test("lines that are meant twice go in with context on both sides, and blank lines anywhere", () => {
    expect(patched("new\na\n", "@@ -1,2 +1,3 @@\n new\n+new\n a\n")).toBe("new\nnew\na\n");
    expect(patched("\na\n", "@@ -2 +2,2 @@\n+\n a\n")).toBe("\n\na\n");
    expect(patched("x\nb\nx\nend\n", "@@ -2 +2,2 @@\n b\n+x\n")).toBe("x\nb\nx\nx\nend\n");
  });
});

test("15.13 lines that occur often are not said to be absent", () => {
  const text = "}\n".repeat(50);
  const plan = planPatch(text, "@@\n }\n-{\n+[\n }\n");
  expect(plan.ok ? "" : plan.error.message).toContain("its lines occur in the text, but not together");
});

test.each([
  [3, "line 3"],
  [4, "1 more hunks do not fit either."],
  [6, "3 more hunks do not fit either."],
])("a refusal of %i hunks says what the first three are, and how many more there are", (count, said) => {
  const hunks = Array.from({ length: count }, (_, at) => `@@ -${at + 1} +${at + 1} @@\n-no line ${at + 1}\n+x\n`);
  const plan = planPatch(numbered, hunks.join(""));
  const message = plan.ok ? "" : plan.error.message;
  expect(message).toContain(said);
  expect(message.includes("do not fit either")).toBe(count > 3);
});
