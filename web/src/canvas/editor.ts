import { defaultKeymap } from "@codemirror/commands";
import { defineLanguageFacet, Language, languageDataProp, syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, type Extension, Prec } from "@codemirror/state";
import {
  drawSelection,
  dropCursor,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  placeholder,
} from "@codemirror/view";
import { GFM, parser } from "@lezer/markdown";
import type { TextReplica } from "../../../src/client/types.ts";
import type { Actor } from "../../../src/core/base/actor.ts";
import type { TextChange } from "../../../src/core/text/types.ts";
import type { Settings } from "../app/settings.ts";
import type { AuthorHues } from "../view/author-hue.ts";
import { AgentPlace, type WritesElsewhere } from "./agent-place.ts";
import { authorMarks, refreshMarks } from "./author-marks.ts";
import { listContinuation, textChanges } from "./edit-changes.ts";
import { editorLook, highlightLook } from "./editor-look.ts";
import { type RemoteCursor, remoteCursors, setRemoteCursors } from "./remote-cursors.ts";
import { ReplicaBinding, wholeCharacters } from "./replica-binding.ts";

export interface EditorPorts {
  readonly replica: TextReplica;
  readonly hues: AuthorHues;
  readonly title: string;
  /** Whether the text is shown as Markdown; else as it is. */
  readonly markdown: boolean;
  readonly selfId: () => string | null;
  readonly undo: () => void;
  readonly redo: () => void;
  /** Escape in the text; true when it did something. */
  readonly escape: () => boolean;
  /** An agent writes where the reader does not look; null when it is in sight or over. */
  readonly elsewhere: (elsewhere: WritesElsewhere | null) => void;
  /** Somebody typed while the text cannot be changed. */
  readonly blocked: () => void;
}

const searchWords = {
  next: "Next",
  previous: "Previous",
  all: "All",
  "match case": "Match case",
  regexp: "Pattern",
  "by word": "Whole words",
  replace: "Replace",
  "replace all": "Replace all",
  Replace: "Replace with",
  close: "Close",
};

/** How long an agent's caret stays after its last stroke. Milliseconds. */
const agentCaretMs = 2_500;

/** The text of a canvas, on the page. */
export class CanvasEditor {
  readonly #ports: EditorPorts;
  readonly #view: EditorView;
  readonly #binding: ReplicaBinding;
  readonly #writable = new Compartment();
  readonly #stops: (() => void)[] = [];
  #authors: Settings["authors"];
  /** Who wrote last, if an agent did; `at` counts as the replica does. */
  #agent: { readonly actor: Actor; readonly at: number } | null = null;
  #agentTimer: ReturnType<typeof setTimeout> | null = null;
  readonly #place: AgentPlace;

  constructor(parent: HTMLElement, ports: EditorPorts, authors: Settings["authors"]) {
    this.#ports = ports;
    this.#authors = authors;
    const { replica } = ports;
    this.#place = new AgentPlace(ports.elsewhere);
    const root = parent.shadowRoot ?? parent.attachShadow({ mode: "open" });
    this.#binding = new ReplicaBinding(replica, {
      received: (changes, origin) => {
        if (origin.type === "remote" && origin.actor.type === "model") this.#noteAgent(origin.actor, endOf(changes));
        else this.#place.carry(changes);
      },
      typed: (changes) => {
        this.#place.carry(textChanges(changes));
        if (this.#agent !== null) this.#agent = { ...this.#agent, at: changes.mapPos(this.#agent.at) };
      },
      along: () => [setRemoteCursors.of(this.#cursors())],
    });
    this.#view = new EditorView({
      parent: root,
      root,
      state: EditorState.create({ doc: replica.text(), extensions: this.#extensions() }),
      dispatchTransactions: this.#binding.dispatch,
    });
    this.#binding.attach(this.#view);
    this.#view.dom.dataset["authors"] = authors;
    // A keyboard must reach what scrolls.
    this.#view.scrollDOM.tabIndex = 0;
    this.#stops.push(replica.presence.subscribe(() => this.#showCursors()));
    this.#showCursors();
  }

  focus(): void {
    this.#view.focus();
  }

  /** Scrolls to where an agent wrote last. */
  showAgent(): void {
    const { at } = this.#place;
    if (at === null) return;
    const place = Math.min(at, this.#view.state.doc.length);
    this.#view.dispatch({ effects: EditorView.scrollIntoView(place, { y: "center" }) });
  }

  hasFocus(): boolean {
    return this.#view.hasFocus;
  }

  setWritable(writable: boolean): void {
    if (this.#view.state.readOnly === !writable) return;
    this.#view.dispatch({ effects: this.#writable.reconfigure(EditorState.readOnly.of(!writable)) });
  }

  setAuthors(authors: Settings["authors"]): void {
    this.#authors = authors;
    this.#view.dom.dataset["authors"] = authors;
    this.#view.dispatch({ effects: refreshMarks.of(null) });
  }

  destroy(): void {
    if (this.#agentTimer !== null) clearTimeout(this.#agentTimer);
    this.#place.forget();
    for (const stop of this.#stops) stop();
    this.#ports.replica.setSelection(null);
    this.#binding.detach();
    this.#view.destroy();
  }

  #extensions(): Extension {
    const { replica, hues, selfId, title, markdown } = this.#ports;
    return [
      // Only a line feed ends a line, as the text engine counts; everything else is a character of its own.
      EditorState.lineSeparator.of("\n"),
      EditorView.clipboardInputFilter.of((text) => text.replace(/\r\n?/gu, "\n")),
      wholeCharacters,
      this.#writable.of(EditorState.readOnly.of(false)),
      lineNumbers(),
      highlightActiveLineGutter(),
      highlightActiveLine(),
      highlightSpecialChars(),
      highlightSelectionMatches(),
      drawSelection(),
      dropCursor(),
      EditorView.lineWrapping,
      EditorState.allowMultipleSelections.of(true),
      markdown ? [markdownLanguage(), syntaxHighlighting(highlightLook)] : [],
      search({ top: false }),
      EditorState.phrases.of(searchWords),
      placeholder(markdown ? "Type, or paste Markdown. Agents can edit this text too." : "This file is empty."),
      authorMarks({ replica, hues, selfId, current: () => this.#binding.current, shown: () => this.#authors }),
      remoteCursors,
      EditorView.contentAttributes.of({
        "aria-label": `Text of ${title}`,
        spellcheck: markdown ? "true" : "false",
        autocapitalize: markdown ? "sentences" : "off",
      }),
      Prec.high(keymap.of(this.#keys())),
      keymap.of([...searchKeymap, ...defaultKeymap]),
      EditorView.domEventHandlers({
        beforeinput: (event) => this.#beforeInput(event),
        paste: () => this.#refuseIfReadOnly(),
        scroll: () => this.#look(),
      }),
      // What floats over the top of the text does not hide the caret.
      EditorView.scrollMargins.of(() => ({ top: 48 })),
      EditorView.updateListener.of((update) => {
        if (update.docChanged || update.geometryChanged) this.#look();
        if (update.selectionSet || update.focusChanged || update.docChanged) this.#tellSelection();
      }),
      editorLook,
    ];
  }

  #keys() {
    const { undo, redo, escape, markdown } = this.#ports;
    const done = (act: () => void) => (): boolean => {
      act();
      return true;
    };
    return [
      { key: "Mod-z", run: done(undo), shift: done(redo) },
      { key: "Mod-y", run: done(redo) },
      { key: "Escape", run: () => escape() },
      ...(markdown ? [{ key: "Enter", run: continueList }] : []),
    ];
  }

  #beforeInput(event: InputEvent): boolean {
    // The browser's own undo does not know who wrote what.
    if (event.inputType === "historyUndo" || event.inputType === "historyRedo") {
      event.preventDefault();
      if (event.inputType === "historyUndo") this.#ports.undo();
      else this.#ports.redo();
      return true;
    }
    if (!this.#refuseIfReadOnly()) return false;
    event.preventDefault();
    return true;
  }

  #refuseIfReadOnly(): boolean {
    if (!this.#view.state.readOnly) return false;
    this.#ports.blocked();
    return true;
  }

  #look(): void {
    if (this.#binding.current) this.#place.look(this.#view);
  }

  #tellSelection(): void {
    const { main } = this.#view.state.selection;
    const selection = { anchor: this.#binding.toReplica(main.anchor), head: this.#binding.toReplica(main.head) };
    this.#ports.replica.setSelection(this.#view.hasFocus ? selection : null);
  }

  #noteAgent(actor: Actor, at: number): void {
    this.#place.wrote(actor, at);
    this.#agent = { actor, at };
    if (this.#agentTimer !== null) clearTimeout(this.#agentTimer);
    this.#agentTimer = setTimeout(() => {
      this.#agent = null;
      this.#showCursors();
    }, agentCaretMs);
  }

  #showCursors(): void {
    // What is being typed moves cursors before the editor has taken it in; it takes one change at a time.
    if (this.#binding.sending) queueMicrotask(() => this.#showCursors());
    // Offsets are the replica's; what has come and is not drawn yet brings the cursors along.
    else if (this.#binding.current) this.#view.dispatch({ effects: setRemoteCursors.of(this.#cursors()) });
  }

  #cursors(): readonly RemoteCursor[] {
    const { replica, hues } = this.#ports;
    const cursors: RemoteCursor[] = [];
    for (const { clientId, actor, selection } of replica.presence.get()) {
      if (selection === null) continue;
      const agent = actor.type === "model";
      cursors.push({ key: clientId, name: actor.name, hue: hues.hueOf(actor.id), agent, ...selection });
    }
    if (this.#agent !== null && cursors.every((cursor) => !cursor.agent)) {
      const { actor, at } = this.#agent;
      cursors.push({ key: actor.id, name: actor.name, hue: hues.hueOf(actor.id), agent: true, anchor: at, head: at });
    }
    return cursors;
  }
}

/** Where the last of some changes ends, in the text after them. */
function endOf(changes: readonly TextChange[]): number {
  const grown = changes.slice(0, -1).reduce((sum, change) => sum + change.insert.length - (change.to - change.from), 0);
  const last = changes.at(-1);
  return last === undefined ? 0 : last.from + grown + last.insert.length;
}

function markdownLanguage(): Extension {
  const data = defineLanguageFacet({ commentTokens: { block: { open: "<!--", close: "-->" } } });
  const configured = parser.configure([GFM, { props: [languageDataProp.add({ Document: data })] }]);
  return new Language(data, configured, [], "markdown").extension;
}

/** Enter in a list begins the next item; in an empty one it ends the list. */
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
