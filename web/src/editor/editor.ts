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
import type { OpId, TextChange } from "../../../src/core/text/types.ts";
import type { Settings } from "../browser/settings.ts";
import { authorsAt, blameGutter } from "../blame/blame-gutter.ts";
import type { LineAuthors } from "../blame/line-authors.ts";
import { type ReviewAct, type ShownReview, showReview, suggestionMarks } from "../review/suggestion-marks.ts";
import type { AuthorHues } from "../view/words/author-hue.ts";
import { AgentPlace, type WritesElsewhere } from "./agent-place.ts";
import { authorMarks, refreshMarks } from "../blame/author-marks.ts";
import { listContinuation, textChanges } from "./edit-changes.ts";
import { editorLook, highlightLook } from "./editor-look.ts";
import { lineDirection } from "./line-direction.ts";
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
  /** Why a line is there, in words. */
  readonly explain: (authors: LineAuthors, near: readonly OpId[]) => Promise<string>;
  /** Somebody wants to know why a line is there; it counts from 1. */
  readonly pressed: (authors: LineAuthors, line: number) => void;
  readonly review: (act: ReviewAct) => void;
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
  readonly #blame = new Compartment();
  readonly #placeListeners = new Set<(line: number) => void>();
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

  /** Puts the caret at the beginning of a line, from 1, and shows it near the top. */
  showLine(line: number): void {
    const { doc } = this.#view.state;
    const { from } = doc.line(Math.max(1, Math.min(line, doc.lines)));
    const effects = EditorView.scrollIntoView(from, { y: "start", yMargin: 56 });
    this.#view.dispatch({ selection: { anchor: from }, effects });
    this.#view.focus();
  }

  /** The line of the caret, from 1. */
  caretLine(): number {
    const { doc, selection } = this.#view.state;
    return doc.lineAt(selection.main.head).number;
  }

  /** Tells the line of the caret, from 1: now, and whenever it is another. */
  onPlace(listener: (line: number) => void): () => void {
    const own = (line: number): void => listener(line);
    this.#placeListeners.add(own);
    own(this.caretLine());
    return () => this.#placeListeners.delete(own);
  }

  setBlame(on: boolean): void {
    this.#view.dispatch({ effects: this.#blame.reconfigure(on ? this.#blameGutter() : []) });
  }

  /** The line of the caret, from 1, and who wrote it; null where nobody did. */
  explainLine(): { readonly authors: LineAuthors; readonly line: number } | null {
    const { head } = this.#view.state.selection.main;
    const current = (): boolean => this.#binding.current;
    const authors = authorsAt(this.#view, head, { replica: this.#ports.replica, current });
    return authors === null ? null : { authors, line: this.caretLine() };
  }

  /** How far below the top of the editor's frame a line ends. CSS pixels; lines count from 1. */
  lineBottom(line: number): number {
    const { doc } = this.#view.state;
    const block = this.#view.lineBlockAt(doc.line(Math.max(1, Math.min(line, doc.lines))).from);
    return this.#view.documentTop + block.bottom - this.#view.dom.getBoundingClientRect().top;
  }

  /** Draws the suggestions that wait; their places are the replica's. */
  setReview(review: ShownReview): void {
    this.#binding.flush();
    this.#view.dispatch({ effects: showReview.of(review) });
  }

  /** Brings a line, from 1, into view. */
  revealLine(line: number): void {
    const { doc } = this.#view.state;
    const { from } = doc.line(Math.max(1, Math.min(line, doc.lines)));
    this.#view.dispatch({ effects: EditorView.scrollIntoView(from, { y: "center" }) });
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
      this.#blame.of([]),
      lineNumbers(),
      highlightActiveLineGutter(),
      highlightActiveLine(),
      highlightSpecialChars(),
      highlightSelectionMatches(),
      drawSelection(),
      dropCursor(),
      EditorView.lineWrapping,
      lineDirection,
      EditorState.allowMultipleSelections.of(true),
      markdown ? [markdownLanguage(), syntaxHighlighting(highlightLook)] : [],
      search({ top: false }),
      EditorState.phrases.of(searchWords),
      placeholder(markdown ? "Type, or paste Markdown. Agents can edit this text too." : "This file is empty."),
      authorMarks({ replica, hues, selfId, current: () => this.#binding.current, shown: () => this.#authors }),
      remoteCursors,
      suggestionMarks({ hueOf: (id) => hues.hueOf(id), act: (act) => this.#ports.review(act) }),
      EditorView.contentAttributes.of(({ state }) => ({ "aria-readonly": String(state.readOnly) })),
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
        drop: () => this.#refuseIfReadOnly(),
        // What was selected is copied all the same.
        cut: () => {
          this.#refuseIfReadOnly();
          return false;
        },
        scroll: () => this.#look(),
      }),
      // What floats over the top of the text does not hide the caret.
      EditorView.scrollMargins.of(() => ({ top: 48 })),
      EditorView.updateListener.of((update) => {
        if (update.docChanged || update.geometryChanged) this.#look();
        if (update.selectionSet || update.focusChanged || update.docChanged) this.#tellSelection();
        if (update.selectionSet || update.docChanged) this.#tellPlace();
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

  #tellPlace(): void {
    if (this.#placeListeners.size === 0) return;
    const line = this.caretLine();
    for (const listener of this.#placeListeners) listener(line);
  }

  #blameGutter(): Extension {
    const { replica, hues, explain, pressed } = this.#ports;
    return blameGutter({ replica, hues, current: () => this.#binding.current, explain, pressed });
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
