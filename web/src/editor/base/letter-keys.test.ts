import { EditorState } from "@codemirror/state";
import type { EditorView, KeyBinding } from "@codemirror/view";
import { expect, test } from "vitest";
import { letterKeys, runLetter } from "./letter-keys.ts";
import { markdownLetters } from "./markdown-keys.ts";

interface Pressed {
  readonly key: string;
  readonly shift?: boolean;
}

/** Presses a key with Control, the first word being selected; returns the text, null where the key is left to others. */
function textAfter(bindings: readonly KeyBinding[], { key, shift = false }: Pressed): string | null {
  const view = {
    state: EditorState.create({
      doc: "few words",
      selection: { anchor: 0, head: 3 },
      extensions: letterKeys(bindings),
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
  expect(textAfter(markdownLetters, pressed)).toBe(expected);
});
