import { type Extension, Prec } from "@codemirror/state";
import { EditorView, type KeyBinding, keymap, runScopeHandlers } from "@codemirror/view";

const scope = "letters";

/**
 * Keys of letters that Shift makes other keys. CodeMirror alone ignores Shift where the event names the small letter, as with
 * Caps Lock.
 */
export function letterKeys(bindings: readonly KeyBinding[]): Extension {
  return [
    keymap.of(bindings.map((binding) => ({ ...binding, scope }))),
    Prec.high(EditorView.domEventHandlers({ keydown: (event, view) => runLetter(view, event) })),
  ];
}

/** Runs the binding of a key; returns whether the key is done with. */
export function runLetter(view: EditorView, event: KeyboardEvent): boolean {
  return !event.shiftKey && runScopeHandlers(view, event, scope);
}
