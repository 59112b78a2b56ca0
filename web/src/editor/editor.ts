import { defaultKeymap } from "@codemirror/commands";
import { syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from "@codemirror/search";
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
  rectangularSelection,
} from "@codemirror/view";
import type { TextReplica } from "../../../src/client/base/types.ts";
import type { Actor } from "../../../src/core/base/actor.ts";
import type { ThreadId } from "../../../src/core/base/ids.ts";
import type { OpId, TextChange } from "../../../src/core/text/types.ts";
import type { Settings } from "../browser/settings.ts";
import type { ShownPictures } from "../browser/shown-pictures.ts";
import { authorsAt, blameGutter } from "../blame/blame-gutter.ts";
import type { LineAuthors } from "../blame/line-authors.ts";
import { commentMarks, type MarkedThread, showComments } from "../comment/comment-marks.ts";
import { cutWords, type MovedWords } from "../comment/cut-words.ts";
import type { ShownSelection } from "../comment/selection-bar.tsx";
import { type ReviewAct, type ShownReview, showReview, suggestionMarks } from "../review/suggestion-marks.ts";
import type { AuthorHues } from "../view/words/author-hue.ts";
import { markdownKeys, markdownLetters } from "./base/markdown-keys.ts";
import { AgentPlace, type WritesElsewhere } from "./agent-place.ts";
import { authorMarks, refreshMarks } from "../blame/author-marks.ts";
import { textChanges } from "./base/edit-changes.ts";
import { codeFace, codeHighlight, editorLook, highlightLook } from "./editor-look.ts";
import { richPaste } from "../live/rich-paste.ts";
import { documentLanguage } from "./document-language.ts";
import { liveBlocks } from "../live/live-blocks.ts";
import { liveMarks } from "../live/live-marks.ts";
import { insertPictures, type PictureKeeper, pictureInput } from "../live/picture-input.ts";
import { letterKeys } from "./base/letter-keys.ts";
import { lineDirection } from "./base/line-direction.ts";
import { type RemoteCursor, remoteCursors, setRemoteCursors } from "./remote-cursors.ts";
import { ReplicaBinding, wholeCharacters } from "./replica-binding.ts";

export interface EditorPorts {
  readonly replica: TextReplica;
  readonly hues: AuthorHues;
  readonly title: string;
  /** Whether the text is shown as Markdown; otherwise as code, highlighted by the file's name. */
  readonly markdown: boolean;
  /** The path of a file; null for a canvas. */
  readonly path: string | null;
  readonly pictures: ShownPictures;
  readonly keeper: PictureKeeper;
  readonly selfId: () => string | null;
  readonly undo: () => void;
  readonly redo: () => void;
  /** Handles Escape in the text; returns whether it had an effect. */
  readonly escape: () => boolean;
  /** Called when an agent writes out of view; null when the place is in view or the agent has stopped. */
  readonly elsewhere: (elsewhere: WritesElsewhere | null) => void;
  /** Called when a person types while the text is locked. */
  readonly blocked: () => void;
  /** Returns an explanation of a line's origin. */
  readonly explain: (authors: LineAuthors, near: readonly OpId[]) => Promise<string>;
  /** Called when a person asks for a line's origin; lines count from 1. */
  readonly pressed: (authors: LineAuthors, line: number) => void;
  readonly review: (act: ReviewAct) => void;
  /** Called when the words of a comment, or its mark in the margin, are pressed. */
  readonly commented: (id: ThreadId) => void;
  /** Called when words that were cut are pasted here. */
  readonly moved: (words: MovedWords) => void;
  /** Called with the selected words when they change or move on the screen; null without any. */
  readonly selected: (selection: ShownSelection | null) => void;
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

/** Prose has no comments of a programming language: this key is the app's, which changes who may type. */
const proseKeymap = defaultKeymap.filter(({ key }) => key !== "Mod-/");

/** Display time of an agent's caret after its last edit. Milliseconds. */
const agentCaretMs = 2_500;

/** The editor of a canvas's text. */
export class CanvasEditor {
  readonly #ports: EditorPorts;
  readonly #view: EditorView;
  readonly #binding: ReplicaBinding;
  readonly #writable = new Compartment();
  readonly #blame = new Compartment();
  /** Source with its line numbers, or Markdown drawn in place. */
  readonly #face = new Compartment();
  readonly #placeListeners = new Set<(line: number) => void>();
  readonly #stops: (() => void)[] = [];
  #authors: Settings["authors"];
  /** The last author when it is an agent; `at` is the replica's offset. */
  #agent: { readonly actor: Actor; readonly at: number } | null = null;
  #agentTimer: ReturnType<typeof setTimeout> | null = null;
  readonly #place: AgentPlace;
  readonly #selectionKey = {};
  #hasSelection = false;

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
    // Focusable, so that a keyboard can scroll it.
    this.#view.scrollDOM.tabIndex = 0;
    this.#stops.push(replica.presence.subscribe(() => this.#showCursors()));
    this.#showCursors();
  }

  focus(): void {
    this.#view.focus();
  }

  /** Moves the caret to the beginning of a line, from 1, and scrolls it near the top. */
  showLine(line: number): void {
    const { doc } = this.#view.state;
    const { from } = doc.line(Math.max(1, Math.min(line, doc.lines)));
    const effects = EditorView.scrollIntoView(from, { y: "start", yMargin: 56 });
    this.#view.dispatch({ selection: { anchor: from }, effects });
    this.#view.focus();
  }

  /** Opens the panel that finds and replaces. */
  find(): void {
    openSearchPanel(this.#view);
  }

  /** Puts pictures where the caret is. */
  insertPictures(files: readonly File[]): void {
    if (this.#refuseIfReadOnly()) return;
    insertPictures(this.#view, files, this.#view.state.selection.main.head, this.#ports.keeper);
  }

  /** Puts words in place of the selection. */
  insert(words: string): void {
    if (this.#refuseIfReadOnly()) return;
    this.#view.dispatch(this.#view.state.replaceSelection(words), { userEvent: "input.paste", scrollIntoView: true });
    this.#view.focus();
  }

  /** Returns the caret's line, from 1. */
  caretLine(): number {
    const { doc, selection } = this.#view.state;
    return doc.lineAt(selection.main.head).number;
  }

  /** Calls `listener` with the caret's line, from 1: now and on each change. */
  onPlace(listener: (line: number) => void): () => void {
    const own = (line: number): void => listener(line);
    this.#placeListeners.add(own);
    own(this.caretLine());
    return () => this.#placeListeners.delete(own);
  }

  setBlame(on: boolean): void {
    this.#view.dispatch({ effects: this.#blame.reconfigure(on ? this.#blameGutter() : []) });
  }

  /** Returns the caret's line, from 1, and its authors; null when it has none. */
  explainLine(): { readonly authors: LineAuthors; readonly line: number } | null {
    const { head } = this.#view.state.selection.main;
    const current = (): boolean => this.#binding.current;
    const authors = authorsAt(this.#view, head, { replica: this.#ports.replica, current });
    return authors === null ? null : { authors, line: this.caretLine() };
  }

  /** Returns the distance from the editor's top to the end of a line. CSS pixels; lines count from 1. */
  lineBottom(line: number): number {
    const { doc } = this.#view.state;
    const block = this.#view.lineBlockAt(doc.line(Math.max(1, Math.min(line, doc.lines))).from);
    return this.#view.documentTop + block.bottom - this.#view.dom.getBoundingClientRect().top;
  }

  /** Shows open suggestions; their places are the replica's. */
  setReview(review: ShownReview): void {
    this.#binding.flush();
    this.#view.dispatch({ effects: showReview.of(review) });
  }

  /** Draws Markdown in place, or shows its source. Text that is no Markdown has only a source. */
  setView(view: Settings["view"]): void {
    const isLive = view === "live" && this.#ports.markdown;
    this.#view.dom.dataset["view"] = isLive ? "live" : "source";
    this.#view.dispatch({
      effects: this.#face.reconfigure(isLive ? [liveMarks(this.#ports.pictures), liveBlocks()] : lineNumbers()),
    });
  }

  /** Marks the words of open threads; their places are the replica's. */
  setComments(threads: readonly MarkedThread[]): void {
    this.#binding.flush();
    this.#view.dispatch({ effects: showComments.of(threads) });
  }

  /** Returns the selected stretch of the replica's text; null without any. */
  selection(): { readonly from: number; readonly to: number } | null {
    this.#binding.flush();
    const { main } = this.#view.state.selection;
    return main.empty ? null : { from: main.from, to: main.to };
  }

  /** Scrolls to a place of the replica's text. */
  revealPlace(at: number, y: "center" | "nearest" = "center"): void {
    this.#binding.flush();
    const place = Math.min(at, this.#view.state.doc.length);
    this.#view.dispatch({ effects: EditorView.scrollIntoView(place, { y }) });
  }

  /** Scrolls to a line, from 1. */
  revealLine(line: number): void {
    const { doc } = this.#view.state;
    const { from } = doc.line(Math.max(1, Math.min(line, doc.lines)));
    this.#view.dispatch({ effects: EditorView.scrollIntoView(from, { y: "center" }) });
  }

  /** Scrolls to the place where an agent wrote last. */
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

  /** The document has another name. */
  setTitle(title: string): void {
    this.#view.contentDOM.setAttribute("aria-label", `Text of ${title}`);
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
    const { replica, hues, selfId, title, markdown, path } = this.#ports;
    return [
      // Only a line feed ends a line, as in the text engine; other separators are ordinary characters.
      EditorState.lineSeparator.of("\n"),
      EditorView.clipboardInputFilter.of((text) => text.replace(/\r\n?/gu, "\n")),
      wholeCharacters,
      this.#writable.of(EditorState.readOnly.of(false)),
      this.#blame.of([]),
      this.#face.of(lineNumbers()),
      highlightActiveLineGutter(),
      highlightActiveLine(),
      highlightSpecialChars(),
      highlightSelectionMatches(),
      drawSelection(),
      dropCursor(),
      rectangularSelection(),
      lineDirection,
      EditorState.allowMultipleSelections.of(true),
      documentLanguage({ markdown, path }),
      markdown ? [EditorView.lineWrapping, pictureInput(this.#ports.keeper), richPaste()] : codeFace,
      syntaxHighlighting(highlightLook),
      syntaxHighlighting(codeHighlight),
      search({ top: false }),
      EditorState.phrases.of(searchWords),
      placeholder(markdown ? "Type, or paste Markdown. Agents can edit this text too." : "This file is empty."),
      authorMarks({ replica, hues, selfId, current: () => this.#binding.current, shown: () => this.#authors }),
      remoteCursors,
      commentMarks((id) => this.#ports.commented(id)),
      cutWords({
        blockId: replica.blockId,
        unitsOf: (from, to) => replica.unitsOf(this.#binding.toReplica(from), this.#binding.toReplica(to)),
        moved: (words) => this.#ports.moved(words),
      }),
      suggestionMarks({ hueOf: (id) => hues.hueOf(id), act: (act) => this.#ports.review(act) }),
      EditorView.contentAttributes.of(({ state }) => ({ "aria-readonly": String(state.readOnly) })),
      EditorView.contentAttributes.of({
        "aria-label": `Text of ${title}`,
        spellcheck: markdown ? "true" : "false",
        autocapitalize: markdown ? "sentences" : "off",
      }),
      this.#keys(),
      keymap.of([...searchKeymap, ...(markdown ? proseKeymap : defaultKeymap)]),
      EditorView.domEventHandlers({
        beforeinput: (event) => this.#beforeInput(event),
        paste: () => this.#refuseIfReadOnly(),
        drop: () => this.#refuseIfReadOnly(),
        // The selection is still copied.
        cut: () => {
          this.#refuseIfReadOnly();
          return false;
        },
        scroll: () => {
          this.#look();
          this.#showSelection();
        },
      }),
      // Keeps the caret below the notes over the top of the text.
      EditorView.scrollMargins.of(() => ({ top: 48 })),
      EditorView.updateListener.of((update) => {
        if (update.docChanged || update.geometryChanged) this.#look();
        if (update.selectionSet || update.focusChanged || update.docChanged) this.#reportSelection();
        if (update.selectionSet || update.docChanged) this.#reportPlace();
        if (update.selectionSet || update.docChanged || update.focusChanged || update.geometryChanged)
          this.#showSelection();
      }),
      editorLook,
    ];
  }

  #keys(): Extension {
    const { undo, redo, escape, markdown } = this.#ports;
    const done = (act: () => void) => (): boolean => {
      act();
      return true;
    };
    return [
      letterKeys([
        { key: "Mod-z", run: done(undo) },
        { key: "Mod-y", run: done(redo) },
        ...(markdown ? markdownLetters : []),
      ]),
      Prec.high(
        keymap.of([
          { key: "Mod-Shift-z", run: done(redo) },
          { key: "Escape", run: () => escape() },
          ...(markdown ? markdownKeys : []),
        ]),
      ),
    ];
  }

  #beforeInput(event: InputEvent): boolean {
    // The browser's own undo does not distinguish authors.
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

  #reportSelection(): void {
    const { main } = this.#view.state.selection;
    const selection = { anchor: this.#binding.toReplica(main.anchor), head: this.#binding.toReplica(main.head) };
    this.#ports.replica.setSelection(this.#view.hasFocus ? selection : null);
  }

  /** Reports where the selection is on the screen, after the layout that is under way. */
  #showSelection(): void {
    const { main } = this.#view.state.selection;
    if (main.empty || !this.#view.hasFocus) {
      if (this.#hasSelection) this.#ports.selected(null);
      this.#hasSelection = false;
      return;
    }
    this.#hasSelection = true;
    this.#view.requestMeasure({
      key: this.#selectionKey,
      read: (view) => {
        const { from, to, empty } = view.state.selection.main;
        // Words may have been typed over since.
        if (empty || !view.hasFocus) return null;
        const start = view.coordsAtPos(from, 1);
        const end = view.coordsAtPos(to, -1);
        const frame = view.dom.getBoundingClientRect();
        if (start === null || end === null) return null;
        if (end.bottom < frame.top || start.top > frame.bottom) return null;
        const left = Math.min(start.left - frame.left, Math.max(8, frame.width - 250));
        return { from, to, left, top: start.top - frame.top, bottom: end.bottom - frame.top };
      },
      write: (shown) => this.#ports.selected(shown),
    });
  }

  #reportPlace(): void {
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
    // A typed change is not in the editor yet, and the editor applies one change at a time.
    if (this.#binding.sending) queueMicrotask(() => this.#showCursors());
    // Offsets are the replica's; received changes that are not drawn yet will move the cursors.
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

/** Returns the end of the last change, in the text after the changes. */
function endOf(changes: readonly TextChange[]): number {
  const grown = changes.slice(0, -1).reduce((sum, change) => sum + change.insert.length - (change.to - change.from), 0);
  const last = changes.at(-1);
  return last === undefined ? 0 : last.from + grown + last.insert.length;
}
