import {
  Annotation,
  type ChangeSet,
  EditorState,
  type Extension,
  type StateEffect,
  Transaction,
} from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import type { TextOrigin, TextReplica } from "../../../src/client/types.ts";
import type { TextChange } from "../../../src/core/text/types.ts";
import { betweenCharacters, carriedPast, changeSet, textChanges } from "./edit-changes.ts";

/** Marks what came from the replica, so that it is not sent back. */
const fromReplica = Annotation.define<true>();

/** Others' edits are drawn at most this often, so that a fast agent leaves the browser time to draw what is typed. Milliseconds. */
const drawEveryMs = 33;

export interface BindingPorts {
  /** Something came from elsewhere; it is not drawn yet. */
  readonly received: (changes: readonly TextChange[], origin: TextOrigin) => void;
  /** Something was typed; the change is one of the replica's text. */
  readonly typed: (changes: ChangeSet) => void;
  /** What is to be drawn together with what came; offsets are those of the text after it. */
  readonly along: () => readonly StateEffect<unknown>[];
}

/** Keeps an editor and a replica the same: what is typed goes at once, what comes is drawn a few times a second. */
export class ReplicaBinding {
  readonly #replica: TextReplica;
  readonly #ports: BindingPorts;
  #view: EditorView | null = null;
  /** What the replica has and the editor does not yet. */
  #coming: ChangeSet | null = null;
  #pushing = false;
  #drawnAt = 0;
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

  /** Whether the editor shows all that the replica has. */
  get current(): boolean {
    return this.#coming === null;
  }

  /** Whether something typed is on its way to the replica, and not yet in the editor. */
  get sending(): boolean {
    return this.#pushing;
  }

  /** The editor's way of applying transactions: what was typed reaches the replica before it is drawn. */
  readonly dispatch = (transactions: readonly Transaction[], view: EditorView): void => {
    for (const transaction of transactions) {
      if (transaction.docChanged && transaction.annotation(fromReplica) !== true) this.#send(transaction.changes);
    }
    view.update(transactions);
  };

  /** An offset in the editor as the replica counts. */
  toReplica(offset: number): number {
    return this.#coming === null ? offset : this.#coming.mapPos(offset);
  }

  /** Draws everything that has come. */
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
    const wait = drawEveryMs - (performance.now() - this.#drawnAt);
    if (wait <= 0) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), wait);
  }
}

/** Keeps what is typed between whole characters, before anything sees it. */
export const wholeCharacters: Extension = EditorState.transactionFilter.of((transaction) => {
  if (!transaction.docChanged || transaction.annotation(fromReplica) === true) return transaction;
  const fixed = betweenCharacters(transaction.changes, transaction.startState.doc);
  if (fixed === null) return transaction;
  return [{ changes: fixed, selection: transaction.newSelection, scrollIntoView: transaction.scrollIntoView }];
});
