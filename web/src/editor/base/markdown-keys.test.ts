import { EditorSelection, EditorState, type TransactionSpec } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { expect, test } from "vitest";
import { letterKeys, runLetter } from "./letter-keys.ts";
import { linked, markdownLetters, shifted, surrounded } from "./markdown-keys.ts";

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

interface Pressed {
  readonly key: string;
  readonly shift?: boolean;
}

/** Presses a key with Control, the first word being selected; returns the text, null where the key is left to others. */
function textAfter({ key, shift = false }: Pressed): string | null {
  const view = {
    state: EditorState.create({
      doc: "few words",
      selection: { anchor: 0, head: 3 },
      extensions: letterKeys(markdownLetters),
    }),
    dispatch: (made: { readonly state: EditorState }) => (view.state = made.state),
  };
  const event = { key, keyCode: key.toUpperCase().charCodeAt(0), ctrlKey: true, shiftKey: shift };
  return runLetter(view as unknown as EditorView, event as KeyboardEvent) ? view.state.doc.toString() : null;
}

test.each([
  [{ key: "b" }, "**few** words"],
  [{ key: "i" }, "_few_ words"],
  [{ key: "k" }, "[few]() words"],
  // Caps Lock makes the letter a capital without Shift, and a small one with it.
  [{ key: "B" }, "**few** words"],
  [{ key: "b", shift: true }, null],
  [{ key: "i", shift: true }, null],
  [{ key: "k", shift: true }, null],
  [{ key: "B", shift: true }, null],
  [{ key: "x" }, null],
] satisfies readonly (readonly [Pressed, string | null])[])("Control with %j gives %j", (pressed, expected) => {
  expect(textAfter(pressed)).toBe(expected);
});
