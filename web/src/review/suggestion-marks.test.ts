import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import fc from "fast-check";
import { expect, test } from "vitest";
import { scaled } from "../../../test/scale.ts";
import type { HunkId, SuggestionId } from "../../../src/core/base/ids.ts";
import { hunksBetween } from "../../../src/core/block/suggestion/suggest-hunks.ts";
import { createDocument } from "../../../src/core/text/document.ts";
import type { ReplicaId } from "../../../src/core/text/types.ts";
import { type ReviewItem, reviewItems } from "./review-items.ts";
import { showReview, suggestionMarks } from "./suggestion-marks.ts";

const ada = 1 as ReplicaId;
const extension = suggestionMarks({ hueOf: () => 0, act: () => {} });

/** Returns the lines of widgets and the lines marked for removal, from 1. */
function drawn(state: EditorState): { readonly widgets: readonly number[]; readonly marked: readonly number[] } {
  const widgets: number[] = [];
  const marked: number[] = [];
  for (const source of state.facet(EditorView.decorations)) {
    if (typeof source === "function") continue;
    for (let cursor = source.iter(); cursor.value !== null; cursor.next()) {
      const line = state.doc.lineAt(cursor.from).number;
      if (cursor.value.spec["widget"] !== undefined) widgets.push(line);
      else if (cursor.value.spec["class"]?.includes("suggest-old") === true) marked.push(line);
    }
  }
  return { widgets, marked };
}

function itemsOf(text: string, proposed: string, typed: { readonly at: number; readonly insert: string } | null) {
  const document = createDocument();
  document.edit(ada, [{ from: 0, to: 0, insert: text }]);
  const authored = () => ({ text: document.text(), blame: document.blame(0, document.length) });
  const hunks = hunksBetween(authored(), proposed, (number) => `h${number}` as HunkId);
  if (typed !== null) {
    const at = Math.min(typed.at, document.length);
    document.edit(ada, [{ from: at, to: at, insert: typed.insert }]);
  }
  const author = { type: "model", id: "s", name: "Scribe", model: "m", runId: "r", turnId: "t" } as never;
  const suggestion = {
    id: "s" as SuggestionId,
    canvasId: "doc/1/1" as never,
    version: 1,
    canvasVersion: 1,
    author,
    replica: 2 as ReplicaId,
    reason: "policy" as const,
    createdAt: 0,
    hunks,
  };
  return { text: document.text(), items: reviewItems([suggestion], authored()) };
}

const line = fc.constantFrom("a", "b", "", "# c", "long line");
const lines = fc.array(line, { maxLength: 7 });
const text = fc.tuple(lines, fc.boolean()).map(([all, ends]) => all.join("\n") + (ends ? "\n" : ""));
const typing = fc.option(fc.record({ at: fc.nat(30), insert: fc.constantFrom("x", "\n", "y\nz") }), { nil: null });

test("suggestionMarks draws every hunk once and marks exactly the lines to be removed", () => {
  fc.assert(
    fc.property(text, text, typing, (before, proposed, typed) => {
      const { text: now, items } = itemsOf(before, proposed, typed);
      const empty = EditorState.create({ doc: now, extensions: [EditorState.lineSeparator.of("\n"), extension] });
      const { state } = empty.update({ effects: showReview.of({ items, currentId: items[0]?.hunk.id ?? null }) });
      const { widgets, marked } = drawn(state);
      expect(widgets).toHaveLength(items.length);
      expect([...marked].toSorted((a, b) => a - b)).toEqual(goingLines(items));
      // Later typing moves the marks, and clearing the review removes them.
      const later = state.update({ changes: { from: 0, insert: "above\n" } }).state;
      expect(drawn(later).widgets).toHaveLength(items.length);
      const cleared = later.update({ effects: showReview.of({ items: [], currentId: null }) }).state;
      expect(drawn(cleared)).toEqual({ widgets: [], marked: [] });
    }),
    { numRuns: scaled(300) },
  );
});

/** Returns the lines of applicable hunks, computed from their old text. */
function goingLines(items: readonly ReviewItem[]): readonly number[] {
  return items.flatMap(({ hunk, placement }) => {
    if (placement.type !== "applies" || hunk.oldText === "") return [];
    const count = hunk.oldText.replace(/\n$/u, "").split("\n").length;
    return Array.from({ length: count }, (_, index) => placement.startLine + 1 + index);
  });
}

test("suggestionMarks strikes the removed words of a changed line", () => {
  const { items, text: now } = itemsOf("one two three\n", "one 2 three\n", null);
  const empty = EditorState.create({ doc: now, extensions: [extension] });
  const { state } = empty.update({ effects: showReview.of({ items, currentId: null }) });
  const [source] = state.facet(EditorView.decorations);
  const gone: string[] = [];
  if (source !== undefined && typeof source !== "function") {
    for (let cursor = source.iter(); cursor.value !== null; cursor.next()) {
      if (cursor.value.spec["class"] === "suggest-gone") gone.push(state.sliceDoc(cursor.from, cursor.to));
    }
  }
  expect(gone).toEqual(["two"]);
});
