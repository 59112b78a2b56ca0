import { EditorSelection, EditorState, type TransactionSpec } from "@codemirror/state";
import { expect, test } from "vitest";
import { linked, shifted, surrounded } from "./markdown-keys.ts";

/** Applies a change; `[` and `]` are the ends of the selection, `|` a caret. null: the key is left to others. */
function after(marked: string, change: (state: EditorState) => TransactionSpec | null): string | null {
  const anchor = marked.search(/[|<]/u);
  const head = marked.includes("|") ? anchor : marked.indexOf(">") - 1;
  const state = EditorState.create({
    doc: marked.replaceAll(/[|<>]/gu, ""),
    selection: EditorSelection.range(anchor, head),
  });
  const made = change(state);
  if (made === null) return null;
  const next = state.update(made).state;
  const { from, to, empty } = next.selection.main;
  const text = next.doc.toString();
  if (empty) return `${text.slice(0, from)}|${text.slice(from)}`;
  return `${text.slice(0, from)}<${text.slice(from, to)}>${text.slice(to)}`;
}

test.each([
  ["a <few> words", "a **<few>** words"],
  ["a **<few>** words", "a <few> words"],
  ["a fe|w words", "a **fe|w** words"],
  ["a | b", "a **|** b"],
])("bold makes %j %j", (before, expected) => {
  expect(after(before, (state) => surrounded(state, "**"))).toBe(expected);
});

test("a link is made of selected words, and without any the key is the page's", () => {
  expect(after("see <the plan> now", linked)).toBe("see [the plan](|) now");
  expect(after("see |", linked)).toBeNull();
});

test.each([
  ["- a\n- b|", 1, "- a\n  - b|"],
  ["  - b|", -1, "- b|"],
  ["- a|", -1, "- a|"],
  ["1. <a\n2. b>", 1, "  1. <a\n  2. b>"],
  ["text|", 1, null],
  ["<- a\ntext>", 1, null],
] as const)("Tab in %j by %i gives %j", (before, by, expected) => {
  expect(after(before, (state) => shifted(state, by))).toBe(expected);
});
