import { defaultKeymap } from "@codemirror/commands";
import { EditorState, Prec } from "@codemirror/state";
import { drawSelection, EditorView, highlightSpecialChars, keymap } from "@codemirror/view";
import type { TextReplica } from "../../../src/client/base/types.ts";
import { authorMarks, refreshMarks } from "../blame/author-marks.ts";
import type { AuthorHues } from "../view/words/author-hue.ts";
import { editorLook } from "./editor-look.ts";
import { lineDirection } from "./base/line-direction.ts";
import { ReplicaBinding, wholeCharacters } from "./replica-binding.ts";

export interface WordsEditorPorts {
  readonly replica: TextReplica;
  readonly hues: AuthorHues;
  readonly selfId: () => string | null;
  readonly label: string;
  /** Leaves the editor; the words stay. */
  readonly done: () => void;
  readonly undo: () => void;
}

/** In a message the text is as tall as its words. */
const inMessage = EditorView.theme({
  "&": { height: "auto", backgroundColor: "transparent" },
  ".cm-content": { padding: "0", maxWidth: "none" },
});

/** A small editor for words that a model is still writing: both write into the same text. */
export class WordsEditor {
  readonly #view: EditorView;
  readonly #binding: ReplicaBinding;

  constructor(parent: HTMLElement, { replica, hues, selfId, label, done, undo }: WordsEditorPorts) {
    const root = parent.shadowRoot ?? parent.attachShadow({ mode: "open" });
    this.#binding = new ReplicaBinding(replica, {
      received: () => {},
      typed: () => {},
      along: () => [refreshMarks.of(null)],
    });
    const act = (run: () => void) => (): boolean => {
      run();
      return true;
    };
    this.#view = new EditorView({
      parent: root,
      root,
      state: EditorState.create({
        doc: replica.text(),
        extensions: [
          EditorState.lineSeparator.of("\n"),
          EditorView.clipboardInputFilter.of((text) => text.replace(/\r\n?/gu, "\n")),
          wholeCharacters,
          highlightSpecialChars(),
          drawSelection(),
          EditorView.lineWrapping,
          lineDirection,
          authorMarks({ replica, hues, selfId, current: () => this.#binding.current, shown: () => "subtle" }),
          EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "true" }),
          Prec.high(
            keymap.of([
              { key: "Mod-z", run: act(undo) },
              { key: "Escape", run: act(done) },
              { key: "Mod-Enter", run: act(done) },
            ]),
          ),
          keymap.of(defaultKeymap),
          editorLook,
          inMessage,
        ],
      }),
      dispatchTransactions: this.#binding.dispatch,
    });
    this.#binding.attach(this.#view);
    this.#view.dom.dataset["authors"] = "subtle";
  }

  /** Sets the caret where a person pressed, else at the end. */
  focus(at: { readonly x: number; readonly y: number } | null): void {
    const place = at === null ? null : this.#view.posAtCoords(at);
    this.#view.dispatch({ selection: { anchor: place ?? this.#view.state.doc.length } });
    this.#view.focus();
  }

  destroy(): void {
    this.#binding.detach();
    this.#view.destroy();
  }
}
