import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scaled } from "../../../../test/scale.ts";
import type { HunkId } from "../../base/ids.ts";
import { createDocument } from "../../text/document.ts";
import { trustedLimits } from "../../text/trusted-limits.ts";
import type { ReplicaId, TextChange, TextDocument } from "../../text/types.ts";
import { createHunkPlacer, type AuthoredText } from "./hunk-place.ts";
import { changesOf, hunksBetween, meetHunks, placeHunks, replan, textWith } from "./suggest-hunks.ts";
import type { SuggestedHunk } from "./suggestion.ts";
import { applyChanges } from "../change/text-change.ts";

const ann = 1 as ReplicaId;
const bob = 2 as ReplicaId;

function written(text: string): TextDocument {
  const document = createDocument();
  edit(document, ann, text === "" ? [] : [{ from: 0, to: 0, insert: text }]);
  return document;
}

function edit(document: TextDocument, replica: ReplicaId, changes: readonly TextChange[]): void {
  const edited = document.edit(replica, changes);
  if (!edited.ok) throw new Error(edited.error.code);
}

function authored(document: TextDocument): AuthoredText {
  return { text: document.text(), blame: document.blame(0, document.length) };
}

const name = (number: number): HunkId => `s.${number}` as HunkId;

function hunks(document: TextDocument, proposed: string): readonly SuggestedHunk[] {
  return hunksBetween(authored(document), proposed, name);
}

describe("createHunkPlacer finds a hunk", () => {
  const base = "a\nb\nc\nd\n";
  test.each<readonly [string, string, TextChange | null, readonly [number, number] | "conflict"]>([
    ["untouched", "a\nB\nc\nd\n", null, [1, 2]],
    ["below new lines", "a\nB\nc\nd\n", { from: 0, to: 0, insert: "x\ny\n" }, [3, 4]],
    ["beside an edited neighbour", "a\nB\nc\nd\n", { from: 0, to: 1, insert: "A" }, [1, 2]],
    ["with its line edited", "a\nB\nc\nd\n", { from: 2, to: 3, insert: "bb" }, "conflict"],
    ["with text typed before its line", "a\nB\nc\nd\n", { from: 2, to: 2, insert: "x" }, "conflict"],
    ["with its line end deleted", "a\nB\nc\nd\n", { from: 3, to: 4, insert: "" }, "conflict"],
    ["with the line before joined to it", "a\nB\nc\nd\n", { from: 1, to: 2, insert: "" }, "conflict"],
    ["with a line typed between its two lines", "a\nX\nd\n", { from: 4, to: 4, insert: "between\n" }, "conflict"],
    ["deleted and typed again, letter for letter", "a\nB\nc\nd\n", { from: 2, to: 4, insert: "b\n" }, "conflict"],
    ["an insertion, untouched", "a\nb\nnew\nc\nd\n", null, [2, 2]],
    ["an insertion after an edited line", "a\nb\nnew\nc\nd\n", { from: 2, to: 3, insert: "B" }, [2, 2]],
    ["an insertion whose previous line was deleted", "a\nb\nnew\nc\nd\n", { from: 2, to: 4, insert: "" }, [1, 1]],
    [
      "an insertion whose neighbours were both deleted",
      "a\nb\nnew\nc\nd\n",
      { from: 2, to: 6, insert: "" },
      "conflict",
    ],
    ["an insertion where lines were inserted", "a\nb\nnew\nc\nd\n", { from: 4, to: 4, insert: "mine\n" }, [2, 2]],
    ["at the beginning", "new\na\nb\nc\nd\n", { from: 0, to: 0, insert: "mine\n" }, [0, 0]],
    ["at the end, where people continued writing", "a\nb\nc\nd\nnew\n", { from: 8, to: 8, insert: "mine" }, [4, 4]],
    [
      "an end without a newline, where people continued writing",
      "a\nb\nc\nd\nnew",
      { from: 8, to: 8, insert: "mine\n" },
      "conflict",
    ],
    ["with the whole text deleted", "a\nB\nc\nd\n", { from: 0, to: 8, insert: "" }, "conflict"],
  ])("%s", (_name, proposed, change, expected) => {
    const document = written(base);
    const [hunk, ...others] = hunks(document, proposed);
    expect(others).toEqual([]);
    if (hunk === undefined) return;
    if (change !== null) edit(document, bob, [change]);
    const placement = createHunkPlacer(authored(document))(hunk);
    expect(placement.type === "applies" ? [placement.startLine, placement.endLine] : "conflict").toEqual(expected);
  });

  test.each<readonly [string, TextChange, readonly [number, number]]>([
    ["the edited line", { from: 2, to: 3, insert: "x\ny" }, [1, 3]],
    ["an empty range at its place when the line was deleted", { from: 2, to: 4, insert: "" }, [1, 1]],
    ["an empty range when the whole text was deleted", { from: 0, to: 8, insert: "" }, [0, 0]],
  ])("a conflict shows %s", (_name, change, [startLine, endLine]) => {
    const document = written(base);
    const [hunk] = hunks(document, "a\nB\nc\nd\n");
    edit(document, bob, [change]);
    if (hunk === undefined) throw new Error("there is a hunk");
    expect(createHunkPlacer(authored(document))(hunk)).toEqual({ type: "conflict", startLine, endLine });
  });

  test("an empty text accepts what was suggested for it, and after typing only whole lines", () => {
    for (const [proposed, typed, expected] of [
      ["new\n", "", "new\n"],
      ["new", "", "new"],
      ["new\n", "typed", "new\ntyped"],
      ["new", "typed", "typed"],
    ] as const) {
      const document = written("");
      const suggested = hunks(document, proposed);
      edit(document, bob, typed === "" ? [] : [{ from: 0, to: 0, insert: typed }]);
      expect(textWith(suggested, authored(document))).toBe(expected);
    }
  });

  test("the first named of two hunks about the same lines applies", () => {
    const document = written(base);
    const [one] = hunks(document, "a\nB\nc\nd\n");
    const [other] = hunks(document, "a\nX\nY\nd\n");
    const [within] = hunks(document, "a\nb\nin\nc\nd\n");
    if (one === undefined || other === undefined || within === undefined) throw new Error("there are hunks");
    const { placed, conflicts } = placeHunks([one, other], authored(document));
    expect([placed.map(({ hunk }) => hunk), conflicts]).toEqual([[one], [other]]);
    expect(placeHunks([other, within], authored(document)).conflicts).toEqual([within]);
    expect(placeHunks([one, within], authored(document)).conflicts).toEqual([]);
  });
});

test.each<readonly [string, string, string, boolean]>([
  ["the same line", "a\nB\nc\n", "a\nx\ny\nc\n", true],
  ["a line of several", "a\nB\nc\n", "a\nX\nY\n", true],
  ["other lines", "A\nb\nc\n", "a\nb\nC\n", false],
  ["one place between lines", "a\nnew\nb\nc\n", "a\nother\nb\nc\n", true],
  ["two places between lines", "a\nnew\nb\nc\n", "a\nb\nother\nc\n", false],
  ["a line and the place before it", "a\nB\nc\n", "a\nnew\nb\nc\n", false],
])("hunks about %s overlap, or not: %#", (_name, one, other, expected) => {
  const document = written("a\nb\nc\n");
  const [a, b] = [hunks(document, one)[0], hunks(document, other)[0]];
  if (a === undefined || b === undefined) throw new Error("there are hunks");
  expect([meetHunks(a, b), meetHunks(b, a)]).toEqual([expected, expected]);
});

describe("a new proposal of an agent", () => {
  const base = "a\nb\nc\nd\n";
  /** Each hunk as its lines and its new text. */
  const shown = (own: readonly SuggestedHunk[]): readonly string[] =>
    own.map(({ startLine, endLine, newText }) => `${startLine}-${endLine} ${newText.replaceAll("\n", "/")}`);

  test.each<readonly [string, readonly string[], readonly string[]]>([
    ["the line below", ["a\nB\nc\nd\n", "a\nB\nC\nd\n"], ["1-2 B/", "2-3 C/"]],
    ["the line above", ["a\nb\nC\nd\n", "a\nB\nC\nd\n"], ["2-3 C/", "1-2 B/"]],
    ["the line between two", ["a\nB\nc\nD\n", "a\nB\nC\nD\n"], ["1-2 B/", "3-4 D/", "2-3 C/"]],
    ["a line behind it", ["a\nB\nc\nd\n", "a\nB\nnew\nc\nd\n"], ["1-2 B/", "2-2 new/"]],
    ["a line behind what it inserted", ["a\none\nb\nc\nd\n", "a\none\ntwo\nb\nc\nd\n"], ["1-1 one/", "1-1 two/"]],
    ["the line below one that it deleted", ["a\nc\nd\n", "a\nC\nd\n"], ["1-2 ", "2-3 C/"]],
    ["the line above one that it inserted", ["a\nb\nnew\nc\nd\n", "a\nB\nnew\nc\nd\n"], ["2-2 new/", "1-2 B/"]],
    ["the same line", ["a\nB\nc\nd\n", "a\nBB\nC\nd\n"], ["1-3 BB/C/"]],
    ["a line before what it inserted", ["a\ntwo\nb\nc\nd\n", "a\none\ntwo\nb\nc\nd\n"], ["1-1 one/two/"]],
    ["nothing new", ["a\nB\nc\nd\n", "a\nB\nC\nd\n", "a\nB\nC\nd\n"], ["1-2 B/", "2-3 C/"]],
  ])("makes a hunk of its own for %s", (_name, proposals, expected) => {
    const current = authored(written(base));
    let own: readonly SuggestedHunk[] = [];
    for (const [round, proposed] of proposals.entries()) {
      const planned = replan(own, current, proposed, (number) => `s${round}.${number}` as HunkId);
      own = [...own.filter(({ id }) => !planned.replaced.includes(id)), ...planned.fresh];
      expect(textWith(own, current)).toBe(proposed);
    }
    expect(shown(own)).toEqual(expected);
  });

  test("either of two adjoining hunks can be kept first, and the other one still applies", () => {
    for (const first of [0, 1]) {
      const document = written(base);
      const [one] = hunks(document, "a\nB\nc\nd\n");
      if (one === undefined) throw new Error("there is a hunk");
      const { fresh } = replan([one], authored(document), "a\nB\nC\nd\n", (number) => `n.${number}` as HunkId);
      const order = first === 0 ? [one, ...fresh] : [...fresh, one];
      for (const [index, hunk] of order.entries()) {
        const { placed } = placeHunks([hunk], authored(document));
        edit(document, ann, changesOf(placed));
        if (index === 0) expect(document.text()).toBe(first === 0 ? "a\nB\nc\nd\n" : "a\nb\nC\nd\n");
      }
      expect(document.text()).toBe("a\nB\nC\nd\n");
    }
  });
});

const line = fc.constantFrom("a", "b", "", "  c", "é😀", "same");
const end = fc.constantFrom("\n", "\n", "\n", "\r\n");
const text = fc
  .tuple(fc.array(fc.tuple(line, end), { maxLength: 14, size: "max" }), fc.constantFrom("", "", "tail"))
  .map(([lines, tail]) => lines.map((parts) => parts.join("")).join("") + tail);
/** An edit given in fractions of the text it is applied to. */
const typing = fc.tuple(fc.nat(1_000), fc.nat(6), fc.constantFrom("", "x", "\n", "mine\n", "two\nlines"));

function typed(document: TextDocument, [at, length, insert]: readonly [number, number, string]): TextChange | null {
  const offsets = [0];
  for (const sign of document.text()) offsets.push((offsets.at(-1) ?? 0) + sign.length);
  const start = Math.floor((at / 1_001) * offsets.length);
  const from = offsets[start] ?? 0;
  const to = offsets[Math.min(offsets.length - 1, start + length)] ?? from;
  if (from === to && insert === "") return null;
  edit(document, bob, [{ from, to, insert }]);
  return { from, to, insert };
}

describe("laws", () => {
  test("keeping all hunks of a suggestion gives exactly the proposed text", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const document = written(before);
        const suggested = hunks(document, after);
        expect(textWith(suggested, authored(document))).toBe(after);
        const { placed, conflicts } = placeHunks(suggested, authored(document));
        expect(conflicts).toEqual([]);
        edit(document, ann, changesOf(placed));
        expect(document.text()).toBe(after);
      }),
      { numRuns: scaled(500) },
    );
  });

  test("a hunk removes only its own units and applies to whole lines, whatever people type", () => {
    fc.assert(
      fc.property(text, text, fc.array(typing, { maxLength: 5 }), (before, after, edits) => {
        const document = written(before);
        const suggested = hunks(document, after);
        for (const one of edits) typed(document, one);
        const now = authored(document);
        for (const { hunk, from, to } of placeHunks(suggested, now).placed) {
          expect(now.text.slice(from, to)).toBe(hunk.oldText);
          const units = document.blame(from, to).map(({ from: at, to: until, id }) => ({ ...id, length: until - at }));
          expect(units).toEqual(hunk.anchor.own);
          expect(from === 0 || now.text[from - 1] === "\n").toBe(true);
          expect(to === now.text.length || now.text[to - 1] === "\n" || from === to).toBe(true);
        }
      }),
      { numRuns: scaled(500) },
    );
  });

  test("nothing that people typed is lost, in whatever order hunks are kept", () => {
    const act = fc.oneof(fc.record({ keep: fc.nat(20) }), fc.record({ type: typing }));
    fc.assert(
      fc.property(text, text, fc.array(act, { maxLength: 8 }), (before, after, acts) => {
        const document = written(before);
        let left = hunks(document, after);
        for (const one of acts) {
          if ("type" in one) {
            typed(document, one.type);
            continue;
          }
          const hunk = left[one.keep % Math.max(1, left.length)];
          if (hunk === undefined) continue;
          const mine = ofBob(document);
          const { placed } = placeHunks([hunk], authored(document));
          edit(document, ann, changesOf(placed));
          if (placed.length > 0) left = left.filter(({ id }) => id !== hunk.id);
          expect(ofBob(document)).toBe(mine);
        }
      }),
      { numRuns: scaled(400) },
    );
  });

  test("concurrent typing merges with a keep of all hunks, and none of it is lost", () => {
    fc.assert(
      fc.property(text, text, fc.array(typing, { minLength: 1, maxLength: 5 }), (before, after, edits) => {
        const here = written(before);
        const there = createDocument();
        there.merge(here.updateSince([]), trustedLimits);
        const suggested = hunks(here, after);
        for (const one of edits) typed(there, one);
        const mine = ofBob(there);
        edit(here, ann, changesOf(placeHunks(suggested, authored(here)).placed));
        const [fromHere, fromThere] = [here.updateSince(there.version()), there.updateSince(here.version())];
        expect([here.merge(fromThere, trustedLimits).ok, there.merge(fromHere, trustedLimits).ok]).toEqual([
          true,
          true,
        ]);
        expect(there.text()).toBe(here.text());
        expect(ofBob(here)).toBe(mine);
      }),
      { numRuns: scaled(300) },
    );
  });

  test("an agent's hunks together always make its last proposal", () => {
    fc.assert(
      fc.property(text, fc.array(text, { minLength: 1, maxLength: 4 }), (before, proposals) => {
        const current = authored(written(before));
        let own: readonly SuggestedHunk[] = [];
        for (const [round, proposed] of proposals.entries()) {
          const planned = replan(own, current, proposed, (number) => `s${round}.${number}` as HunkId);
          const replaced = new Set(planned.replaced);
          own = [...own.filter(({ id }) => !replaced.has(id)), ...planned.fresh];
          expect(textWith(own, current)).toBe(proposed);
          expect(new Set(own.map(({ id }) => id)).size).toBe(own.length);
        }
      }),
      { numRuns: scaled(400) },
    );
  });

  test("keeping a hunk makes the smallest changes, so the authors of unchanged text remain", () => {
    const document = written("one two three\nkept\n");
    const [hunk] = hunks(document, "one 2 three\nkept\n");
    if (hunk === undefined) throw new Error("there is a hunk");
    const changes = changesOf(placeHunks([hunk], authored(document)).placed);
    expect(changes).toEqual([{ from: 4, to: 7, insert: "2" }]);
    expect(applyChanges(document.text(), changes)).toBe("one 2 three\nkept\n");
  });
});

/** The parts of the text that Bob typed. */
function ofBob(document: TextDocument): string {
  return document
    .blame(0, document.length)
    .filter(({ id }) => id.replica === bob)
    .map(({ from, to }) => document.slice(from, to))
    .join("");
}

test("the lines of a conflict are those of what is left, wherever the same replica typed next", () => {
  const document = written("a\nb\n");
  edit(document, ann, [{ from: 0, to: 0, insert: "z\n" }]);
  const [hunk] = hunks(document, "z\na\nB\n");
  if (hunk === undefined) throw new Error("a hunk");
  // The line before goes, and the words of the hunk's own line; its end is left, behind the line that was typed last.
  edit(document, bob, [{ from: 2, to: 5, insert: "" }]);
  expect(document.text()).toBe("z\n\n");
  expect(createHunkPlacer(authored(document))(hunk)).toEqual({ type: "conflict", startLine: 1, endLine: 2 });
});
