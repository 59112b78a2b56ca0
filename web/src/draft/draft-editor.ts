import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { syntaxHighlighting } from "@codemirror/language";
import { EditorState, Transaction } from "@codemirror/state";
import { drawSelection, EditorView, highlightSpecialChars, keymap } from "@codemirror/view";
import type { DraftId } from "../../../src/core/base/ids.ts";
import { documentLanguage } from "../editor/document-language.ts";
import { editorLook, highlightLook } from "../editor/editor-look.ts";
import { lineDirection } from "../editor/base/line-direction.ts";
import { wholeCharacters } from "../editor/replica-binding.ts";
import { DraftSync, goingOn, unsentWrite, type DraftSyncPorts } from "./draft-sync.ts";

/** The editor of a draft's text: one person writes at a time, and the draft has no room with carets. */
export class DraftEditor {
  readonly #view: EditorView;
  readonly sync: DraftSync;

  constructor(
    parent: HTMLElement,
    start: {
      readonly text: string;
      readonly hash: string;
      readonly label: string;
      readonly draftId: DraftId;
    },
    ports: Omit<DraftSyncPorts, "draw" | "setTimer" | "keep">,
  ) {
    const root = parent.shadowRoot ?? parent.attachShadow({ mode: "open" });
    const kept = unsentWrite(start.draftId);
    const unsent = kept.get();
    const begun = unsent === null ? null : goingOn(unsent, start);
    const base = begun ?? start;
    this.sync = new DraftSync(base, {
      ...ports,
      keep: (left) => (left === null ? kept.clear() : kept.set(left)),
      draw: (changes) =>
        this.#view.dispatch({
          changes,
          annotations: [Transaction.remote.of(true), Transaction.addToHistory.of(false)],
          filter: false,
        }),
      setTimer: (ms, run) => {
        const timer = setTimeout(run, ms);
        return () => clearTimeout(timer);
      },
    });
    this.#view = new EditorView({
      parent: root,
      root,
      state: EditorState.create({
        doc: base.text,
        extensions: [
          EditorState.lineSeparator.of("\n"),
          EditorView.clipboardInputFilter.of((text) => text.replace(/\r\n?/gu, "\n")),
          wholeCharacters,
          highlightSpecialChars(),
          drawSelection(),
          history(),
          EditorView.lineWrapping,
          lineDirection,
          documentLanguage({ markdown: true, path: null }),
          syntaxHighlighting(highlightLook),
          EditorView.contentAttributes.of({ "aria-label": start.label, spellcheck: "true" }),
          EditorView.updateListener.of(({ docChanged, changes, transactions }) => {
            const isOthers = transactions.some((each) => each.annotation(Transaction.remote) === true);
            if (docChanged && !isOthers) this.sync.typed(changes);
          }),
          keymap.of([...historyKeymap, ...defaultKeymap]),
          editorLook,
        ],
      }),
    });
    // Focusable, so that a keyboard can scroll it.
    this.#view.scrollDOM.tabIndex = 0;
    this.#view.focus();
    if (begun?.typed.empty === false) this.#view.dispatch({ changes: begun.typed });
    if (begun !== null) this.sync.changed();
  }

  destroy(): void {
    this.sync.close();
    this.#view.destroy();
  }
}
