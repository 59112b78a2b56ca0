import type { Refusal } from "../core/base/errors.ts";
import type { BlockId, RootId } from "../core/base/ids.ts";
import type { DownMessage, UpMessage } from "../core/protocol/messages.ts";
import { fromWireChange } from "../core/protocol/wire-change.ts";
import type { TextDocument } from "../core/text/types.ts";
import {
  withLiveBlock,
  withLiveChange,
  withRecord,
  withSnapshot,
  type ConversationState,
  type TreeDraft,
} from "./conversation-view.ts";
import { openLiveText, type LiveText } from "./live-text.ts";
import { createCell, type Batch } from "./observable.ts";
import { mayBeWatchedLater } from "./refused-edits.ts";
import { createRetryTimer } from "./retry-timer.ts";
import type { ClientPlatform, ConversationView, Observable } from "./types.ts";

/** One conversation that the page follows while something shows it. */
export interface ConversationWatch {
  readonly view: Observable<ConversationView | null>;
  /** The connection is live (again), to a server that was started anew or to the one before. */
  live(isAnew: boolean): void;
  cut(): void;
  /** It cannot be followed, or not now: then it is asked for again. */
  refused(reason: Refusal): void;
  snapshot(message: Extract<DownMessage, { type: "conversation-snapshot" }>): void;
  feed(message: Extract<DownMessage, { type: "feed" }>): void;
  /** Both answer false when the block is none of this conversation's. */
  blockSnapshot(message: Extract<DownMessage, { type: "block-snapshot" }>): boolean;
  blockChanged(message: Extract<DownMessage, { type: "block-change" }>): boolean;
}

export function watchConversation(options: {
  readonly rootId: RootId;
  readonly batch: Batch;
  readonly platform: Pick<ClientPlatform, "setTimer">;
  decode(bytes: Uint8Array): TextDocument | undefined;
  send(message: UpMessage): void;
}): ConversationWatch {
  const { rootId } = options;
  const retry = createRetryTimer(options.platform);
  const send = (message: UpMessage): void => options.send(message);
  let watching = false;
  let state: ConversationState | null = null;
  /** The server was started anew and has not said what it has: less than is shown, where it was restored. */
  let isOther = false;
  const texts = new Map<BlockId, LiveText>();
  const view = createCell<ConversationView | null>(null, options.batch, () => {
    watching = true;
    joinAgain();
    return () => {
      watching = false;
      retry.cancel();
      send({ type: "unwatch-conversation", rootId });
    };
  });

  /** Shared by the entries of one frame: nobody is told of a frame before its end. */
  const draft: TreeDraft = { tree: null };
  const endDraft = (): void => {
    draft.tree = null;
  };

  function join(afterSeq: number): void {
    if (watching) send({ type: "watch-conversation", rootId, afterSeq });
  }

  function joinAgain(): void {
    join(isOther ? 0 : (state?.view.seq ?? 0));
  }

  function show(next: ConversationState): void {
    state = next;
    for (const id of texts.keys()) if (!isLive(id)) texts.delete(id);
    view.set(next.view);
  }

  function isLive(id: BlockId): boolean {
    return state?.runs.some((run) => run.liveBlocks.includes(id)) ?? false;
  }

  return {
    view,
    live(isAnew) {
      isOther ||= isAnew;
      joinAgain();
    },
    cut: () => retry.cancel(),
    refused(reason) {
      if (watching && mayBeWatchedLater(reason)) retry.later(joinAgain);
    },
    snapshot(message) {
      const shown = isOther && state !== null ? { ...state, view: { ...state.view, seq: 0 } } : state;
      isOther = false;
      show(withSnapshot(shown, message));
    },
    feed({ record }) {
      retry.worked();
      if (state === null) return;
      const next = withRecord(state, record, draft);
      options.batch.later(endDraft);
      if (next === undefined) join(0);
      else show(next);
    },
    blockSnapshot({ header, text }) {
      if (state === null || !isLive(header.id)) return false;
      const opened = openLiveText({ version: header.version, text }, (bytes) => options.decode(bytes));
      if (opened === undefined) {
        retry.later(() => join(0));
        return true;
      }
      retry.worked();
      texts.set(header.id, opened);
      show(withLiveBlock(state, header, opened.text));
      return true;
    },
    blockChanged(message) {
      const text = texts.get(message.change.blockId);
      if (state === null || text === undefined) return isLive(message.change.blockId);
      const change = fromWireChange(message.change);
      if (change === undefined || !text.take(change)) join(state.view.seq);
      else show(withLiveChange(state, change, text.text));
      return true;
    },
  };
}
