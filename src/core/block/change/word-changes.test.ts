import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scaled } from "../../../../test/scale.ts";
import { carryOver } from "./carry-over.ts";
import { planPatch } from "../patch/apply.ts";
import { createDocument } from "../../text/document.ts";
import type { ReplicaId, TextChange } from "../../text/types.ts";
import { applyChanges } from "./text-change.ts";
import { byWords, wordChanges } from "./word-changes.ts";

function planned(text: string, patch: string): readonly TextChange[] {
  const plan = planPatch(text, patch);
  if (!plan.ok) throw new Error(plan.error.message);
  return plan.value.changes;
}

const whole = (before: string, after: string) => ({ from: 0, to: before.length, insert: after });

/** The changes, as "[old>new]" within the unchanged text. */
function shown(before: string, after: string): string {
  const changes = wordChanges(before, whole(before, after)).map(({ from, to, insert }) => {
    return { from, to, insert: `[${before.slice(from, to)}>${insert}]` };
  });
  return applyChanges(before, changes);
}

describe("a line replaced by a similar one", () => {
  test.each([
    [
      "keeps the words that both have",
      "one two three four five",
      "one 2 three four 5",
      "one [two>2] three four [five>5]",
    ],
    [
      "changes adjoining words together",
      "all of one two three stays",
      "all of 1 2 three stays",
      "all of [one two>1 2] three stays",
    ],
    [
      "loses words",
      "it is very long and really dull here",
      "it is long and dull here",
      "it is [very >]long and[ really>] dull here",
    ],
    [
      "is replaced as a whole when little is common",
      "the cat sat on the mat",
      "Dogs run over the hill",
      "[the cat sat on the mat>Dogs run over the hill]",
    ],
    ["keeps exactly half of the shorter side", "aa bb cc", "dd bb ee", "[aa>dd] bb [cc>ee]"],
    ["is not split inside a character", "a 😀 b c d e", "a 😁 b c d f", "a [😀>😁] b c d [e>f]"],
    ["may be equal", "a b", "a b", "a b"],
  ])("%s", (_name, before, after, expected) => {
    expect(shown(before, after)).toBe(expected);
  });

  test("becomes exactly the new line, for any two lines", () => {
    const word = fc.constantFrom(
      "a",
      "bb",
      "ccc",
      "é",
      "e\u0301",
      "😀",
      "\u200d",
      " ",
      "  ",
      "\t",
      ".",
      "\r\n",
      "\n",
      "\ud83d",
    );
    const line = fc.array(word, { maxLength: 40 }).map((words) => words.join(""));
    fc.assert(
      fc.property(line, line, line, (before, after, around) => {
        const text = around + before + around;
        const change = { from: around.length, to: around.length + before.length, insert: after };
        const changes = wordChanges(text, change);
        expect(applyChanges(text, changes)).toBe(applyChanges(text, [change]));
        for (const [index, { from }] of changes.entries()) {
          expect(from).toBeGreaterThanOrEqual(changes[index - 1]?.to ?? 0);
        }
      }),
      { numRuns: scaled(300) },
    );
  });

  test("of any length takes bounded time", () => {
    const long = Array.from({ length: 200_000 }, (_, index) => `w${index % 7} `).join("");
    expect(wordChanges(long, whole(long, long.replaceAll("w3", "v3")))).toHaveLength(1);
  });
});

test.each([
  ["8,000 units word by word", 8000, 2],
  ["more as one change", 8001, 1],
])("wordChanges compares a line of %s", (_name, length, count) => {
  const before = `one ${"x".repeat(length - 28)} two${"o".repeat(20)}`;
  expect(before).toHaveLength(length);
  // The first and the last character change, so that nothing is trimmed away; what comes is shorter than what goes.
  const after = before.replace(/^o/, "O").replace(/o+$/, "O");
  expect(wordChanges(before, whole(before, after))).toHaveLength(count);
});

test("keeps text that a person types while an agent rewrites words of the same line in place", () => {
  const before = "# A\n\nThe text is shared: you can simply type in it, which is very good.\n";
  const typed = before.replace("shared", "shared (says Ada)");
  const patch =
    "@@\n-The text is shared: you can simply type in it, which is very good.\n+This text is shared: you can type in it, which is good.\n";
  const changes = planned(before, patch);
  expect(carryOver(before, typed, changes)).toBe(
    "# A\n\nThis text is shared (says Ada): you can type in it, which is good.\n",
  );
  // The same in a last line without a terminator, and when the engine merges.
  expect(carryOver(before.trimEnd(), typed.trimEnd(), planned(before.trimEnd(), patch))).toContain(
    "shared (says Ada): you can type in it",
  );
  const document = createDocument();
  const [ada, replica] = [1 as ReplicaId, 2 as ReplicaId];
  document.edit(ada, [{ from: 0, to: 0, insert: before }]);
  const shownAt = document.version();
  document.edit(ada, [{ from: before.indexOf("shared") + 6, to: before.indexOf("shared") + 6, insert: " (says Ada)" }]);
  document.edit(replica, byWords(before, changes), shownAt);
  expect(document.text()).toBe(carryOver(before, typed, changes));
});
