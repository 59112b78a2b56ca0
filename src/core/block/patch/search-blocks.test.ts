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

const block = (old: string, fresh: string): string => `<<<<<<< SEARCH\n${old}=======\n${fresh}>>>>>>> REPLACE\n`;

describe("15.14 a patch of SEARCH and REPLACE blocks", () => {
  test.each<readonly [name: string, text: string, patch: string, expected: string]>([
    ["one block", "a\nb\nc\n", block("b\n", "B\n"), "a\nB\nc\n"],
    ["several blocks", "a\nb\nc\nd\n", block("a\n", "A\n") + block("c\nd\n", "D\n"), "A\nb\nD\n"],
    ["blocks in another order", "a\nb\nc\n", block("c\n", "C\n") + block("a\n", "A\n"), "A\nb\nC\n"],
    ["a fence around it", "a\nb\n", `\`\`\`\n${block("b\n", "B\n")}\`\`\`\n`, "a\nB\n"],
    ["words before it", "a\nb\n", `Here it is:\n\n${block("b\n", "B\n")}`, "a\nB\n"],
    ["lines that stay", "a\nb\nc\n", block("a\nb\n", "a\nx\nb\n"), "a\nx\nb\nc\n"],
    ["no new lines", "a\nb\nc\n", block("b\n", ""), "a\nc\n"],
    ["an empty line", "a\n\nc\n", block("a\n\nc\n", "a\nc\n"), "a\nc\n"],
    ["other marks", "a\nb\n", "------- SEARCH\nb\n=======\nB\n+++++++ REPLACE\n", "a\nB\n"],
    ["CRLF in the text", "a\r\nb\r\n", block("b\n", "B\nC\n"), "a\r\nB\r\nC\r\n"],
    ["a diff behind it", "a\nb\nc\n", `${block("a\n", "A\n")}@@ -3 +3 @@\n-c\n+C\n`, "A\nb\nC\n"],
    ["old lines that occur twice", "a\nb\na\n", block("a\n", "A\n"), "AMBIGUOUS"],
    ["old lines that differ in a blank", "a\n b\n", block("b\n", "B\n"), "NO_MATCH"],
    ["old lines that differ in case", "a\nB\n", block("b\n", "c\n"), "NO_MATCH"],
    ["one block that does not fit", "a\nb\n", block("a\n", "A\n") + block("x\n", "X\n"), "NO_MATCH"],
    ["no old lines", "a\n", block("", "b\n"), "BAD_LINE"],
    ["no middle", "a\n", "<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n", "BAD_LINE"],
    ["two middles", "a\n=======\nb\n", block("a\n=======\n", "b\n"), "BAD_LINE"],
    ["a block in a block", "a\n", "<<<<<<< SEARCH\na\n<<<<<<< SEARCH\n", "BAD_LINE"],
    ["no end", "a\nb\n", "<<<<<<< SEARCH\na\n=======\nB\n", "TRUNCATED"],
    ["half of a block", "a\nb\n", "<<<<<<< SEARCH\na\n", "TRUNCATED"],
  ])("%s", (_name, text, patch, expected) => {
    expect(patched(text, patch)).toBe(expected);
  });

  test("changes only lines that differ, so that the others keep their authors", () => {
    const [text, patch] = ["one\ntwo\nthree\n", block("one\ntwo\nthree\n", "one\n2\nthree\n")];
    const diff = "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";
    const [plan, same] = [planPatch(text, patch), planPatch(text, diff)];
    expect(plan.ok && plan.value.changes).toEqual(same.ok && same.value.changes);
    expect(patched(text, patch)).toBe("one\n2\nthree\n");
  });

  test("a block gives the replaced text where its old lines occur once, and is refused everywhere else", () => {
    const line = fc.constantFrom("a", "b", "c", "", "  a");
    const property = fc.property(
      fc.array(line, { minLength: 1, maxLength: 8 }),
      fc.array(line, { minLength: 1, maxLength: 3 }),
      fc.array(fc.constantFrom("x", "y", "a"), { maxLength: 3 }),
      (text, old, fresh) => {
        const places = text.flatMap((_line, at) => (old.every((each, index) => text[at + index] === each) ? [at] : []));
        const result = patched(
          `${text.join("\n")}\n`,
          block(`${old.join("\n")}\n`, fresh.map((each) => `${each}\n`).join("")),
        );
        const [place] = places;
        if (places.length === 1 && place !== undefined && old.join("\n") !== fresh.join("\n")) {
          const expected = [...text.slice(0, place), ...fresh, ...text.slice(place + old.length)];
          // Lines that already hold the new text are refused, as for a diff that is sent twice.
          if (result !== "ALREADY_APPLIED") expect(result).toBe(expected.map((each) => `${each}\n`).join(""));
        } else if (places.length !== 1) expect(String(result)).toMatch(/^[A-Z_]+$/);
      },
    );
    fc.assert(property, { numRuns: scaled(500), seed: 14 });
  });
});
