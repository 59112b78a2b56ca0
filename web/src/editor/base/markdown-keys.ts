import { EditorSelection, type EditorState, type TransactionSpec } from "@codemirror/state";
import type { Command, EditorView, KeyBinding } from "@codemirror/view";
import { listContinuation } from "./edit-changes.ts";

/** Keys for Markdown: lists, and the depth of their items. */
export const markdownKeys: readonly KeyBinding[] = [
  { key: "Enter", run: continueList },
  { key: "Tab", run: changing((state) => shifted(state, 1)), shift: changing((state) => shifted(state, -1)) },
];

/** Keys for Markdown by letters: bold, italic, link. */
export const markdownLetters: readonly KeyBinding[] = [
  { key: "Mod-b", run: changing((state) => surrounded(state, "**")), preventDefault: true },
  { key: "Mod-i", run: changing((state) => surrounded(state, "_")), preventDefault: true },
  // Without a selection the key opens the palette.
  { key: "Mod-k", run: changing(linked) },
];

/** Returns a command from a change; null leaves the key to others. */
function changing(change: (state: EditorState) => TransactionSpec | null): Command {
  return (view) => {
    const { state } = view;
    const made = state.readOnly ? null : change(state);
    if (made === null) return false;
    view.dispatch(state.update(made, { userEvent: "input", scrollIntoView: true }));
    return true;
  };
}

/** Puts marks around each selection, or takes them away where they are. */
export function surrounded(state: EditorState, mark: string): TransactionSpec {
  const { length } = mark;
  return state.changeByRange((range) => {
    const word = range.empty ? (state.wordAt(range.head) ?? range) : range;
    const { from, to } = word;
    const isMarked = state.sliceDoc(from - length, from) === mark && state.sliceDoc(to, to + length) === mark;
    if (isMarked) {
      return {
        changes: [
          { from: from - length, to: from },
          { from: to, to: to + length },
        ],
        range: EditorSelection.range(range.anchor - length, range.head - length),
      };
    }
    return {
      changes: [
        { from, insert: mark },
        { from: to, insert: mark },
      ],
      range: EditorSelection.range(range.anchor + length, range.head + length),
    };
  });
}

/** Makes the selected words the words of a link, with the caret where its address goes; null without a selection. */
export function linked(state: EditorState): TransactionSpec | null {
  const { main } = state.selection;
  if (main.empty) return null;
  const words = state.sliceDoc(main.from, main.to);
  const insert = `[${words}]()`;
  return {
    changes: { from: main.from, to: main.to, insert },
    selection: EditorSelection.cursor(main.from + insert.length - 1),
  };
}

const listItem = /^(\s*)(?:[-*+]|\d{1,9}[.)])\s/u;

/** Moves the selected list items one level; null where a line is no list item, so that Tab leaves the text. */
export function shifted(state: EditorState, by: 1 | -1): TransactionSpec | null {
  const { from, to } = state.selection.main;
  const changes: { from: number; to?: number; insert?: string }[] = [];
  for (let at = state.doc.lineAt(from); ; at = state.doc.line(at.number + 1)) {
    const found = listItem.exec(at.text);
    if (found === null) return null;
    const indent = found[1] ?? "";
    if (by === 1) changes.push({ from: at.from, insert: "  " });
    else if (indent !== "") changes.push({ from: at.from, to: at.from + Math.min(2, indent.length) });
    if (at.to >= to) break;
  }
  return { changes };
}

/** Handles Enter in a list: begins the next item, or ends the list at an empty one. */
function continueList(view: EditorView): boolean {
  const { state } = view;
  const { main } = state.selection;
  if (state.readOnly || !main.empty || state.selection.ranges.length > 1) return false;
  const line = state.doc.lineAt(main.head);
  if (main.head !== line.to) return false;
  const next = listContinuation(line.text);
  if (next === null) return false;
  const change =
    next === ""
      ? { from: line.from, to: line.to, insert: "" }
      : { from: main.head, to: main.head, insert: `\n${next}` };
  view.dispatch({
    changes: change,
    selection: { anchor: next === "" ? line.from : main.head + next.length + 1 },
    scrollIntoView: true,
    userEvent: "input",
  });
  return true;
}
