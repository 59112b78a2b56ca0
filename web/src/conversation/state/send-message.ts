import type { HeddleClient } from "../../../../src/client/base/types.ts";
import type { Refusal } from "../../../../src/core/base/errors.ts";
import type { NodeId, RootId } from "../../../../src/core/base/ids.ts";
import { withChild } from "../../view/branches/path.ts";
import { type Attachments, isUploading, type PendingAttachment } from "../kept/attachments.ts";
import type { ConversationStore } from "./conversation-store.ts";
import { deliver, type SentFile } from "./deliver.ts";
import type { Draft, DraftWords } from "../kept/draft.ts";
import type { KeptView } from "../kept/kept-view.ts";
import type { ReplyCount } from "../kept/reply-count.ts";
import { type Deliver, planSend, type SendPlan } from "./plan-send.ts";

/** The parts of a conversation that sending uses. */
export interface Sending {
  readonly rootId: RootId;
  readonly client: Pick<HeddleClient, "call">;
  readonly store: ConversationStore;
  readonly draft: Draft;
  readonly attachments: Attachments;
  readonly kept: Pick<KeptView, "outgoing" | "selection">;
  readonly replyCount: ReplyCount;
  readonly tell: (message: string | Refusal) => void;
  readonly compact: (wish: { readonly focus?: string }) => void;
  readonly askFor: (nodeId: NodeId, wish: { readonly n?: number }) => Promise<void>;
}

/** Refusals that mean the conversation is busy. */
const busyCodes: ReadonlySet<string> = new Set([
  "AGENT_BUSY",
  "CANCELLATION_IN_PROGRESS",
  "AWAITING_APPROVAL",
  "AWAITING_USER_RESPONSE",
]);

/** How Send is wished: with a reply unless `ask` is false. */
export interface SendWish {
  readonly ask?: boolean;
  /** How the message reaches an agent at work; by default at its next step. */
  readonly deliver?: Deliver;
}

/** What Send took from the composer. */
interface Taken {
  readonly words: DraftWords;
  readonly files: readonly PendingAttachment[];
  readonly ask: boolean;
  readonly deliver: Deliver;
}

/** Returns the Send function, which handles one message and one question at a time. */
export function createSend(sending: Sending): (how?: SendWish) => void {
  const { store, draft, attachments, replyCount, tell, askFor, compact } = sending;
  let asking = false;
  return ({ ask = true, deliver: how = "steer" } = {}) => {
    const state = store.get();
    const files = attachments.get();
    const focus = compactFocus(draft.get().text);
    const plan = planSend({ state, words: draft.get(), fileCount: files.length, ask, deliver: how });
    if (plan.type === "nothing") return;
    if (isUploading(files)) return tell("A file is still being uploaded. Your message is kept; send it after that.");
    if (state.sending !== null)
      return tell("Your last message is still being sent. This one is kept; send it after that.");
    if (focus !== null) {
      if (state.selection.tipId === null) return tell("There is nothing to sum up here yet.");
      draft.take();
      compact(focus === "" ? {} : { focus });
      return;
    }
    switch (plan.type) {
      case "ask-again":
        if (asking) return;
        asking = true;
        void askFor(plan.nodeId, wishedCount(replyCount.take())).then(() => {
          asking = false;
        });
        return;
      case "refuse":
        return tell(plan.reason);
      case "load-first":
        void sendOnceLoaded(sending, plan.text, { words: draft.take(), files: attachments.take(), ask, deliver: how });
        return;
      case "deliver":
        void send(sending, plan, { words: draft.take(), files: attachments.take(), ask, deliver: how });
        return;
    }
  };
}

/**
 * Shows a message as being sent, and sends it if the branch ends where this browser saw it end. Otherwise nobody has read
 * what the message would answer.
 */
async function sendOnceLoaded(sending: Sending, text: string, taken: Taken): Promise<void> {
  const { store, kept, tell } = sending;
  kept.outgoing.set(text);
  store.setSending(text);
  const seen = kept.selection.get().tipId;
  await loaded(store);
  const isSeen = store.get().selection.tipId === seen;
  const { words, files, ask, deliver: how } = taken;
  const plan = planSend({ state: store.get(), words, fileCount: files.length, ask, deliver: how });
  if (plan.type === "deliver" && isSeen) return send(sending, plan, taken);
  kept.outgoing.clear();
  store.setSending(null);
  putBack(sending, taken, [words.pasted, words.text]);
  tell(
    plan.type === "refuse"
      ? plan.reason
      : "Here are messages that you have not read. Yours is kept; send it after that.",
  );
}

function loaded(store: ConversationStore): Promise<void> {
  return new Promise((resolve) => {
    // Looks when the store has told everyone: it may tell while this subscribes.
    const stop = store.subscribe(() => queueMicrotask(look));
    const look = (): void => {
      if (store.get().tree === null) return;
      stop();
      resolve();
    };
    look();
  });
}

/** Returns what was not sent to the composer, before the words typed since. */
function putBack({ draft, attachments }: Sending, { files }: Taken, left: readonly string[]): void {
  draft.putBack(left);
  attachments.putBack(files);
}

/** Returns what follows `/compact` in the composer; null when it holds something else. */
function compactFocus(words: string): string | null {
  const found = /^\/compact(?:\s+([^]*))?$/u.exec(words.trim());
  return found === null ? null : (found[1] ?? "").trim();
}

function wishedCount(n: number | null): { readonly n?: number } {
  return n === null ? {} : { n };
}

async function send(
  sending: Sending,
  { text, messages }: Extract<SendPlan, { readonly type: "deliver" }>,
  taken: Taken,
): Promise<void> {
  const { rootId, client, store, kept, replyCount, tell } = sending;
  const { files, ask, deliver: how } = taken;
  kept.outgoing.set(text);
  store.setSending(text);
  const parentNodeId = store.get().selection.tipId;
  const replies = ask ? replyCount.take() : null;
  const wish = { rootId, parentNodeId, messages, files: files.flatMap(sentFile), ask, deliver: how, replies };
  const result = await deliver(client, wish);
  kept.outgoing.clear();
  store.setSending(null);
  const run = result.ok ? result.value.run : null;
  const { firstId } = result.ok ? result.value : result.error;
  if (run !== null) store.follow(run.id);
  else if (firstId !== null) store.choose(withChild(store.get().selection, parentNodeId, firstId));
  if (result.ok) return;
  putBack(sending, taken, result.error.left);
  // The person may have chosen another number since.
  if (replyCount.get() === null) replyCount.set(replies);
  if (busyCodes.has(result.error.refusal.code)) store.setBusy(true);
  else tell(result.error.refusal);
}

function sentFile({ name, blobId, scaledBlobId }: PendingAttachment): readonly SentFile[] {
  return blobId === null ? [] : [{ name, blobId, ...(scaledBlobId === undefined ? {} : { scaledBlobId }) }];
}
