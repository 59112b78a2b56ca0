import type { Refusal } from "../../core/base/errors.ts";
import type { BlockId, RootId } from "../../core/base/ids.ts";
import type { DownMessage, UpMessage } from "../../core/protocol/base/messages.ts";
import { fromWireChange } from "../../core/protocol/base/wire-change.ts";
import type { TextDocument } from "../../core/text/types.ts";
import {
  withLiveBlock,
  withLiveChange,
  withRecord,
  withSnapshot,
  type ConversationState,
  type TreeDraft,
} from "./conversation-view.ts";
import { openLiveText, type LiveText } from "./live-text.ts";
import { createCell, type Batch } from "../base/observable.ts";
import { retriesWatch } from "../base/refused-edits.ts";
import { createRetryTimer } from "../base/retry-timer.ts";
import type { ClientPlatform, ConversationView, Observable } from "../base/types.ts";

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
  /** Both return false when the block does not belong to this conversation. */
  blockSnapshot(message: Extract<DownMessage, { type: "block-snapshot" }>): boolean;
  blockChanged(message: Extract<DownMessage, { type: "block-change" }>): boolean;
}

/** Creates the view of a conversation; `decode` reads an encoded document, undefined when it is corrupt. */
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
  /** The server restarted and has not sent a snapshot since: one restored from a backup has less than is shown. */
  let awaitsRestored = false;
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

  /** Shared by the entries of one frame, since subscribers are notified only at its end. */
  const draft: TreeDraft = { tree: null };
  const endDraft = (): void => {
    draft.tree = null;
  };

  function join(afterSeq: number): void {
    if (watching) send({ type: "watch-conversation", rootId, afterSeq });
  }

  function joinAgain(): void {
    join(awaitsRestored ? 0 : (state?.view.seq ?? 0));
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
    live(restarted) {
      awaitsRestored ||= restarted;
      joinAgain();
    },
    cut: () => retry.cancel(),
    refused(reason) {
      if (watching && retriesWatch(reason)) retry.schedule(joinAgain);
    },
    snapshot(message) {
      const shown = awaitsRestored && state !== null ? { ...state, view: { ...state.view, seq: 0 } } : state;
      awaitsRestored = false;
      show(withSnapshot(shown, message));
    },
    feed({ record }) {
      retry.reset();
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
        retry.schedule(() => join(0));
        return true;
      }
      retry.reset();
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
