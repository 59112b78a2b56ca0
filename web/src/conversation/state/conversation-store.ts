import type { ConversationView, Observable } from "../../../../src/client/base/types.ts";
import type { NodeId, RunId } from "../../../../src/core/base/ids.ts";
import { subscribePaced } from "../../ui/paced/subscribe-paced.ts";
import { firstVisit, type Selection } from "../../view/branches/path.ts";
import {
  type ConversationInputs,
  type ConversationState,
  conversationState,
  emptyState,
} from "./conversation-state.ts";
import type { KeptView } from "../kept/kept-view.ts";

/** Interval of rendering a reply being written. Milliseconds. */
const renderEveryMs = 40;

const noView: Observable<ConversationView | null> = { get: () => null, subscribe: () => () => {} };

/**
 * The page's state of one conversation: the server's view, paced, and the person's selection. It watches the server while
 * it has subscribers.
 */
export class ConversationStore implements Observable<ConversationState> {
  readonly #view: Observable<ConversationView | null>;
  readonly #kept: Pick<KeptView, "selection" | "seen"> | null;
  readonly #listeners = new Set<() => void>();
  #inputs: ConversationInputs = { ...emptyState, view: null, chosen: firstVisit, followedId: null };
  #state = emptyState;
  #seenTip: NodeId | null = null;
  #stop: (() => void) | null = null;

  constructor(view: Observable<ConversationView | null> | null, kept: Pick<KeptView, "selection" | "seen"> | null) {
    this.#view = view ?? noView;
    this.#kept = kept;
  }

  readonly get = (): ConversationState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    const own = (): void => listener();
    this.#listeners.add(own);
    if (this.#stop === null) {
      this.#stop = subscribePaced(this.#view, renderEveryMs, () => this.#refresh({}));
      this.#refresh({});
    }
    return () => {
      if (!this.#listeners.delete(own) || this.#listeners.size > 0) return;
      this.#stop?.();
      this.#stop = null;
    };
  };

  /** Begins a visit with the state stored in this browser; does nothing during a visit. */
  open(): void {
    if (this.#stop !== null) return;
    const seen = this.#kept?.seen.get();
    this.#seenTip = null;
    this.#refresh({
      chosen: this.#kept?.selection.get() ?? firstVisit,
      followedId: null,
      busy: false,
      seen: seen === undefined || seen.since === 0 ? { since: Date.now(), atByNode: {} } : seen,
    });
  }

  /** Shows another branch. */
  choose(chosen: Selection): void {
    this.#kept?.selection.set(chosen);
    this.#refresh({ chosen, followedId: null });
  }

  /** Follows a run, as soon as it is known. */
  follow(followedId: RunId): void {
    this.#refresh({ followedId });
  }

  setSending(sending: string | null): void {
    this.#refresh({ sending });
  }

  setBusy(busy: boolean): void {
    if (busy !== this.#inputs.busy) this.#refresh({ busy });
  }

  #refresh(change: Partial<ConversationInputs>): void {
    this.#inputs = { ...this.#inputs, ...change, view: this.#view.get() };
    const before = this.#state;
    let after = conversationState(before, this.#inputs);
    this.#keepSelection(after.selection);
    after = this.#withTipSeen(after);
    if (after === before) return;
    this.#state = after;
    for (const listener of this.#listeners) listener();
  }

  /** Stores the shown selection, so that the conversation grows from there. */
  #keepSelection(selection: Selection): void {
    if (selection === this.#inputs.chosen) return;
    this.#inputs = { ...this.#inputs, chosen: selection };
    this.#kept?.selection.set(selection);
  }

  /** Marks the end of the shown branch as seen. */
  #withTipSeen(state: ConversationState): ConversationState {
    const { tipId } = state.selection;
    if (this.#kept === null || tipId === this.#seenTip) return state;
    this.#seenTip = tipId;
    if (tipId === null) return state;
    const seen = { ...state.seen, atByNode: { ...state.seen.atByNode, [tipId]: Date.now() } };
    this.#inputs = { ...this.#inputs, seen };
    this.#kept.seen.set(seen);
    return { ...state, seen };
  }
}
