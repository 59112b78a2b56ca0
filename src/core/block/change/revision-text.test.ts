import fc from "fast-check";
import { expect, test } from "vitest";
import type { diffChanges } from "./diff-changes.ts";
import { readRevision, stepsMax, storedAs, type ReadRevisionText } from "./revision-text.ts";

/** Commits texts one after another as a store holds them, and reads the last. */
function committed(texts: readonly string[]): { readonly read: ReadRevisionText; readonly chars: number } {
  let read: ReadRevisionText = { text: "", steps: 0, changed: 0 };
  let whole = "";
  let steps: ReturnType<typeof diffChanges>[] = [];
  let chars = 0;
  for (const [version, text] of texts.entries()) {
    const stored = version === 0 ? text : storedAs(text, { version, read });
    chars += typeof stored === "string" ? stored.length : JSON.stringify(stored.changes).length;
    if (typeof stored === "string") [whole, steps] = [stored, []];
    else steps.push(stored.changes);
    const now = readRevision(whole, steps);
    if (now === null) throw new Error("unreadable");
    expect(now.text).toBe(text);
    read = now;
  }
  return { read, chars };
}

test("every text is read as it was committed, however the ones before it differ", () => {
  const text = fc.array(fc.constantFrom("a", "b\n", "😀", "\u0000", "\r\n", "line\n", "\ud83d"), { maxLength: 30 });
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 12 }), (texts) => {
      committed(texts.map((parts) => parts.join("")));
    }),
  );
});

test("100 commits of small edits take at most 1.5 times the text", () => {
  const lines = Array.from({ length: 400 }, (_, line) => `Line ${line} of a document that is edited a little.`);
  const texts = Array.from({ length: 101 }, (_, commit) => {
    lines[(commit * 37) % 400] = `Line ${commit} was changed here, and not elsewhere.`;
    if (commit % 10 === 0) lines.splice((commit * 13) % 400, 1, "A line that went", "and two that came.");
    return lines.join("\n");
  });
  const { chars, read } = committed(texts);
  expect(chars / read.text.length).toBeLessThan(1.5);
});

test("a whole text follows what takes more than half of it, and long rows of changes", () => {
  const whole = "word ".repeat(100);
  const read = (changes: Partial<ReadRevisionText>) => ({
    version: 3,
    read: { text: whole, steps: 1, changed: 0, ...changes },
  });
  const next = `${whole}and one more`;
  expect(storedAs(next, read({}))).toMatchObject({ from: 3 });
  expect(storedAs(next, read({ changed: whole.length / 2 }))).toBe(next);
  expect(storedAs(next, read({ steps: stepsMax - 1 }))).toMatchObject({ from: 3 });
  expect(storedAs(next, read({ steps: stepsMax }))).toBe(next);
  expect(storedAs("something else", read({}))).toBe("something else");
});

test("changes that do not fit their text are told", () => {
  expect(readRevision("abc", [[{ from: 2, to: 4, insert: "x" }]])).toBeNull();
  expect(readRevision("abc", [[{ from: 2, to: 1, insert: "x" }]])).toBeNull();
  expect(readRevision("abc", [[{ from: 3, to: 3, insert: "d" }]])?.text).toBe("abcd");
});
