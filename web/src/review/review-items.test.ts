import fc from "fast-check";
import { expect, test } from "vitest";
import { scaled } from "../../../test/scale.ts";
import { must } from "../../../src/core/base/assert.ts";
import type { HunkId, SuggestionId } from "../../../src/core/base/ids.ts";
import { planPatch } from "../../../src/core/block/patch/apply.ts";
import { proposalHunk } from "../../../src/core/block/suggestion/header-proposal.ts";
import type { HeaderProposal } from "../../../src/core/block/suggestion/suggestion.ts";
import { hunksBetween } from "../../../src/core/block/suggestion/suggest-hunks.ts";
import type { Suggestion } from "../../../src/core/block/suggestion/suggestion.ts";
import { applyChanges } from "../../../src/core/block/change/text-change.ts";
import { createDocument } from "../../../src/core/text/document.ts";
import type { ReplicaId, TextDocument } from "../../../src/core/text/types.ts";
import { countItems, hunkDiff, itemAfter, pageOf, reviewItems } from "./review-items.ts";
import { decidedWords, placeWords, proposalWords, reasonWords, reviewTitle } from "./review-words.ts";

const ada = 1 as ReplicaId;

function documentOf(text: string): TextDocument {
  const document = createDocument();
  must(document.edit(ada, [{ from: 0, to: 0, insert: text }]).ok || undefined, "the text can be written");
  return document;
}

const authored = (document: TextDocument) => ({
  text: document.text(),
  blame: document.blame(0, document.length),
});

function suggest(document: TextDocument, proposed: string, name = "Scribe (built-in author)"): Suggestion {
  return {
    id: `s-${name}` as SuggestionId,
    canvasId: "doc/1/1" as never,
    version: 1,
    canvasVersion: 1,
    author: { type: "model", id: name as never, name, model: "m", runId: "r" as never, turnId: "t" as never },
    replica: 2 as ReplicaId,
    reason: "policy",
    createdAt: 0,
    hunks: hunksBetween(authored(document), proposed, (number) => `${name}-${number}` as HunkId),
  };
}

const text = "one\ntwo\nthree\nfour\nfive\nsix\n";
const proposed = "zero\none\ntwo\nTHREE\nfour\nfive\nsix\n";

test("reviewItems lists open hunks by place, with their placement", () => {
  const document = documentOf(text);
  const suggestion = suggest(document, proposed);
  const items = reviewItems([suggestion], authored(document));
  expect(items.map(placeWords)).toEqual(["at the top", "line 3"]);
  expect(reviewTitle(items)).toBe("2 suggestions by Scribe");

  // A person edits the same line: the hunk conflicts, and its place is the line's current one.
  const at = text.indexOf("three");
  document.edit(ada, [
    { from: 0, to: 0, insert: "above\n" },
    { from: at + 2, to: at + 2, insert: "!" },
  ]);
  const later = reviewItems([suggestion], authored(document));
  expect(later.map(({ placement }) => placement.type)).toEqual(["applies", "conflict"]);
  expect(later.map(placeWords)[1]).toBe("line 4");
  expect(countItems(later)).toEqual({ applicable: 1, conflicts: 1 });
  expect(reviewTitle(later)).toBe("2 suggestions by Scribe, 1 in conflict");
});

test("reviewItems omits decided hunks, and reviewTitle counts two agents", () => {
  const document = documentOf(text);
  const first = suggest(document, proposed);
  const kept = {
    ...first,
    hunks: first.hunks.map((hunk, index) => (index === 0 ? { ...hunk, state: "kept" as const } : hunk)),
  };
  const items = reviewItems([kept, suggest(document, text.replace("six", "6"), "Other")], authored(document));
  expect(items.map(({ hunk }) => hunk.id)).toEqual(["Scribe (built-in author)-2", "Other-1"]);
  expect(reviewTitle(items)).toBe("2 suggestions by 2 agents");
  expect(items.map(reasonWords)).toEqual([null, null]);
});

test("hunkDiff gives a diff with the same effect as the hunk", () => {
  const line = fc.constantFrom("a\n", "b\n", "c c\n", "\n");
  const lines = fc.array(line, { maxLength: 8 }).map((all) => all.join(""));
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const document = documentOf(`${before}end\n`);
      for (const hunk of suggest(document, `${after}end\n`).hunks) {
        const { startLine } = hunk;
        const planned = planPatch(`${before}end\n`, hunkDiff(hunk));
        if (!planned.ok) throw new Error(planned.error.message);
        const rows = `${before}end\n`.split(/(?<=\n)/u);
        const expected = [...rows.slice(0, startLine), hunk.newText, ...rows.slice(hunk.endLine)].join("");
        expect(applyChanges(`${before}end\n`, planned.value.changes)).toBe(expected);
      }
    }),
    { numRuns: scaled(60) },
  );
});

test("itemAfter selects the next hunk after a decision, else the last one, else null", () => {
  const document = documentOf(text);
  const items = reviewItems([suggest(document, "1\ntwo\n3\nfour\n5\nsix\n")], authored(document));
  const [a, b, c] = items;
  const id = (item: typeof a) => must(item, "there are three").hunk.id;
  expect(items).toHaveLength(3);
  const without = (...removed: readonly (typeof a)[]) => items.filter((item) => !removed.includes(item));
  expect(itemAfter(items, without(a), id(a))).toBe(id(b));
  expect(itemAfter(items, without(b), id(b))).toBe(id(c));
  expect(itemAfter(items, without(c), id(c))).toBe(id(b));
  expect(itemAfter(items, items, id(b))).toBe(id(b));
  expect(itemAfter([], items, null)).toBe(id(a));
  expect(itemAfter(items, [], id(a))).toBeNull();
});

test("pageOf places each item of a long list on exactly one page", () => {
  expect(pageOf(3, 0)).toEqual({ from: 0, to: 3 });
  expect([0, 99, 100, 249].map((at) => pageOf(250, at))).toEqual([
    { from: 0, to: 100 },
    { from: 0, to: 100 },
    { from: 100, to: 200 },
    { from: 200, to: 250 },
  ]);
});

test("reasonWords explains a late write", () => {
  const document = documentOf(text);
  const late = { ...suggest(document, proposed), reason: "late-write" as const };
  const [item] = reviewItems([late], authored(document));
  expect(reasonWords(must(item, "there is one"))).toBe("arrived after you took control, so it was not written");
});

test("decidedWords gives the decision and the remaining count", () => {
  expect(decidedWords("kept", 1, 2)).toBe("Suggestion kept. 2 left. “Undo mine” reverts this.");
  expect(decidedWords("rejected", 3, 0)).toBe("3 suggestions rejected. None is left. “Undo mine” reverts this.");
});

test("14.1 a proposal about the canvas itself applies above any text, and says what it would do", () => {
  const document = documentOf("one\ntwo\n");
  const proposed = (proposes: HeaderProposal) => {
    const suggestion = { ...suggest(document, ""), hunks: [proposalHunk("p" as HunkId, proposes)] };
    return must(reviewItems([suggestion], authored(document))[0], "a proposal is listed");
  };
  const deletion = proposed({ type: "delete" });
  expect([deletion.placement.type, placeWords(deletion)]).toEqual(["applies", "the canvas itself"]);
  expect(proposalWords(deletion)).toContain("goes to the trash");
  expect(proposalWords(proposed({ type: "update", excluded: true, metadata: { title: "New", mood: 1 } }))).toBe(
    "Rename this canvas to “New”. Leave this canvas out of what models see. Set “mood”.",
  );
  const [lines] = reviewItems([suggest(document, "one\n")], authored(document));
  expect(proposalWords(must(lines, "lines are suggested"))).toBeNull();
});
