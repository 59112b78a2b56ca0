import type { Refusal } from "../../core/base/errors.ts";
import type { BlockId, RootId } from "../../core/base/ids.ts";
import type { DownMessage, UpMessage } from "../../core/protocol/base/messages.ts";
import { fromWireChange } from "../../core/protocol/base/wire-change.ts";
import type { TextDocument } from "../../core/text/types.ts";
import {
  withLiveBlock,
  withLiveChange,
  withRecord,
  withSegment,
  withSnapshot,
  type ConversationState,
  type TreeDraft,
} from "./conversation-view.ts";
import { openLiveText, type LiveText } from "./live-text.ts";
import { createCell, type Batch, type Cell } from "../base/observable.ts";
import { retriesWatch } from "../base/refused-edits.ts";
import { createRetryTimer, type RetryTimer } from "../base/retry-timer.ts";
import type { ClientPlatform, ConversationView, Observable, SegmentOptions } from "../base/types.ts";
import type { LoadedSegment } from "./conversation-part.ts";

/** Follows one conversation while its view has subscribers. */
export interface ConversationWatch {
  readonly view: Observable<ConversationView | null>;
  /** The connection is live (again); `restarted` when the server is another process than before. */
  live(restarted: boolean): void;
  /** The connection is lost. */
  cut(): void;
  /** The server refused the watch; it is sent again when the refusal may pass. */
  refused(reason: Refusal): void;
  snapshot(message: Extract<DownMessage, { type: "conversation-snapshot" }>): void;
  feed(message: Extract<DownMessage, { type: "feed" }>): void;
  /** Adds a part of the conversation that was loaded; false when the conversation has changed since it was read. */
  loaded(segment: LoadedSegment): boolean;
  /** Both return false when the block does not belong to this conversation. */
  blockSnapshot(message: Extract<DownMessage, { type: "block-snapshot" }>): boolean;
  blockChanged(message: Extract<DownMessage, { type: "block-change" }>): boolean;
}

export interface ConversationWatchOptions {
  readonly rootId: RootId;
  readonly batch: Batch;
  readonly platform: Pick<ClientPlatform, "setTimer">;
  /** How much of a large conversation the view begins with; absent for all. */
  readonly segment?: SegmentOptions;
  /** Reads an encoded document; undefined when it is corrupt. */
  decode(bytes: Uint8Array): TextDocument | undefined;
  send(message: UpMessage): void;
}

/** Creates the view of a conversation. */
export function watchConversation(options: ConversationWatchOptions): ConversationWatch {
  return new SubscribedConversation(options);
}

class SubscribedConversation implements ConversationWatch {
  readonly view: Cell<ConversationView | null>;
  readonly #options: ConversationWatchOptions;
  readonly #retry: RetryTimer;
  readonly #texts = new Map<BlockId, LiveText>();
  /** Shared by the entries of one frame, since subscribers are notified only at its end. */
  readonly #draft: TreeDraft = { tree: null };
  #watching = false;
  #state: ConversationState | null = null;
  /** The server restarted and has not sent a snapshot since: one restored from a backup has less than is shown. */
  #awaitsRestored = false;

  constructor(options: ConversationWatchOptions) {
    this.#options = options;
    this.#retry = createRetryTimer(options.platform);
    this.view = createCell<ConversationView | null>(null, options.batch, () => this.#watch());
  }

  live(restarted: boolean): void {
    this.#awaitsRestored ||= restarted;
    this.#joinAgain();
  }

  cut(): void {
    this.#retry.cancel();
  }

  refused(reason: Refusal): void {
    if (this.#watching && retriesWatch(reason)) this.#retry.schedule(() => this.#joinAgain());
  }

  snapshot(message: Extract<DownMessage, { type: "conversation-snapshot" }>): void {
    const state = this.#state;
    const shown = this.#awaitsRestored && state !== null ? { ...state, view: { ...state.view, seq: 0 } } : state;
    this.#awaitsRestored = false;
    this.#show(withSnapshot(shown, message));
  }

  feed({ record }: Extract<DownMessage, { type: "feed" }>): void {
    this.#retry.reset();
    if (this.#state === null) return;
    const next = withRecord(this.#state, record, this.#draft);
    this.#options.batch.later(this.#endDraft);
    if (next === undefined) this.#join(0);
    else this.#show(next);
  }

  loaded(segment: LoadedSegment): boolean {
    if (this.#state === null) return true;
    const next = withSegment(this.#state, segment);
    if (next === undefined) return false;
    this.#draft.tree = null;
    this.#show(next);
    return true;
  }

  blockSnapshot({ header, text }: Extract<DownMessage, { type: "block-snapshot" }>): boolean {
    if (this.#state === null || !this.#isLive(header.id)) return false;
    const opened = openLiveText({ version: header.version, text }, (bytes) => this.#options.decode(bytes));
    if (opened === undefined) {
      this.#retry.schedule(() => this.#join(0));
      return true;
    }
    this.#retry.reset();
    this.#texts.set(header.id, opened);
    this.#show(withLiveBlock(this.#state, header, opened.text));
    return true;
  }

  blockChanged(message: Extract<DownMessage, { type: "block-change" }>): boolean {
    const text = this.#texts.get(message.change.blockId);
    if (this.#state === null || text === undefined) return this.#isLive(message.change.blockId);
    const change = fromWireChange(message.change);
    if (change === undefined || !text.take(change)) this.#join(this.#state.view.seq);
    else this.#show(withLiveChange(this.#state, change, text.text));
    return true;
  }

  /** Begins to watch for the first subscriber; returns what is done when the last one leaves. */
  #watch(): () => void {
    this.#watching = true;
    this.#joinAgain();
    return () => {
      this.#watching = false;
      this.#retry.cancel();
      this.#options.send({ type: "unwatch-conversation", rootId: this.#options.rootId });
    };
  }

  #joinAgain(): void {
    this.#join(this.#awaitsRestored ? 0 : (this.#state?.view.seq ?? 0));
  }

  #join(afterSeq: number): void {
    const { rootId } = this.#options;
    if (!this.#watching) return;
    const { messages, bytes, startAt } = this.#options.segment ?? {};
    const isPart = messages !== undefined && bytes !== undefined;
    const segment = isPart ? { segment: { nodeId: startAt?.(rootId) ?? null, messages, bytes } } : {};
    this.#options.send({ type: "watch-conversation", rootId, afterSeq, ...segment });
  }

  #show(next: ConversationState): void {
    this.#state = next;
    for (const id of this.#texts.keys()) if (!this.#isLive(id)) this.#texts.delete(id);
    this.view.set(next.view);
  }

  #isLive(id: BlockId): boolean {
    return this.#state?.runs.some((run) => run.liveBlocks.includes(id)) ?? false;
  }

  /** One function for every frame: the batch calls it once, however often it is asked to. */
  readonly #endDraft = (): void => {
    this.#draft.tree = null;
  };
}
