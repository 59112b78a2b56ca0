import {
  Annotation,
  type ChangeSet,
  EditorState,
  type Extension,
  type StateEffect,
  Transaction,
} from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import type { TextOrigin, TextReplica } from "../../../src/client/base/types.ts";
import type { TextChange } from "../../../src/core/text/types.ts";
import { pauseAfter } from "../ui/paced/subscribe-paced.ts";
import { betweenCharacters, carriedPast, changeSet, textChanges } from "./base/edit-changes.ts";

/** Marks changes from the replica, so that they are not sent back. */
const fromReplica = Annotation.define<true>();

/** Minimum interval between drawings of others' edits, so that a fast agent does not delay typing, and the longest on a slow machine. Milliseconds. */
const drawEveryMs = 33;
const drawPauseMax = 100;

export interface BindingPorts {
  /** Called with a remote change, before it is drawn. */
  readonly received: (changes: readonly TextChange[], origin: TextOrigin) => void;
  /** Called with a typed change, in the replica's offsets. */
  readonly typed: (changes: ChangeSet) => void;
  /** Returns effects to draw with remote changes; offsets are in the text after them. */
  readonly along: () => readonly StateEffect<unknown>[];
}

/** Synchronizes an editor and a replica: typed text is sent at once, remote changes are drawn at intervals. */
export class ReplicaBinding {
  readonly #replica: TextReplica;
  readonly #ports: BindingPorts;
  #view: EditorView | null = null;
  /** Remote changes that are not drawn yet. */
  #coming: ChangeSet | null = null;
  #pushing = false;
  #drawnAt = 0;
  #pause = drawEveryMs;
  #timer: ReturnType<typeof setTimeout> | null = null;
  readonly #stop: () => void;

  constructor(replica: TextReplica, ports: BindingPorts) {
    this.#replica = replica;
    this.#ports = ports;
    this.#stop = replica.onChange((changes, origin) => this.#receive(changes, origin));
  }

  attach(view: EditorView): void {
    this.#view = view;
  }

  detach(): void {
    this.#stop();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#view = null;
  }

  /** Whether the editor shows the replica's current text. */
  get current(): boolean {
    return this.#coming === null;
  }

  /** Whether a typed change is being applied to the replica and is not in the editor yet. */
  get sending(): boolean {
    return this.#pushing;
  }

  /** Applies the editor's transactions: typed text reaches the replica before it is drawn. */
  readonly dispatch = (transactions: readonly Transaction[], view: EditorView): void => {
    for (const transaction of transactions) {
      if (transaction.docChanged && transaction.annotation(fromReplica) !== true) this.#send(transaction.changes);
    }
    view.update(transactions);
  };

  /** Converts an editor offset to the replica's. */
  toReplica(offset: number): number {
    return this.#coming === null ? offset : this.#coming.mapPos(offset);
  }

  /** Draws all received changes. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const view = this.#view;
    const changes = this.#coming;
    if (view === null || changes === null) return;
    this.#coming = null;
    this.#drawnAt = performance.now();
    view.dispatch({
      changes,
      effects: this.#ports.along(),
      annotations: [fromReplica.of(true), Transaction.remote.of(true)],
      filter: false,
    });
    this.#pause = pauseAfter(performance.now() - this.#drawnAt, drawEveryMs, drawPauseMax);
  }

  #send(typed: ChangeSet): void {
    let changes = typed;
    if (this.#coming !== null) {
      const carried = carriedPast(typed, this.#coming);
      changes = carried.typed;
      this.#coming = carried.came;
    }
    this.#pushing = true;
    try {
      this.#replica.edit(textChanges(changes));
    } finally {
      this.#pushing = false;
    }
    this.#ports.typed(changes);
  }

  #receive(changes: readonly TextChange[], origin: TextOrigin): void {
    const view = this.#view;
    if (this.#pushing || view === null || changes.length === 0) return;
    const length = this.#coming?.newLength ?? view.state.doc.length;
    const came = changeSet(changes, length);
    this.#coming = this.#coming === null ? came : this.#coming.compose(came);
    this.#ports.received(changes, origin);
    const wait = this.#pause - (performance.now() - this.#drawnAt);
    if (wait <= 0) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), wait);
  }
}

/** Extends typed changes to whole characters, before anything else handles them. */
export const wholeCharacters: Extension = EditorState.transactionFilter.of((transaction) => {
  if (!transaction.docChanged || transaction.annotation(fromReplica) === true) return transaction;
  const fixed = betweenCharacters(transaction.changes, transaction.startState.doc);
  if (fixed === null) return transaction;
  return [{ changes: fixed, selection: transaction.newSelection, scrollIntoView: transaction.scrollIntoView }];
});
