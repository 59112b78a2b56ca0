import type { HeddleClient } from "../../../../src/client/base/types.ts";
import type { Refusal } from "../../../../src/core/base/errors.ts";
import type { NodeId, RootId } from "../../../../src/core/base/ids.ts";
import { withChild } from "../../view/branches/path.ts";
import { type Attachments, isUploading, type PendingAttachment } from "../kept/attachments.ts";
import type { ConversationStore } from "./conversation-store.ts";
import { deliver, type SentFile } from "./deliver.ts";
import type { Draft } from "../kept/draft.ts";
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
  readonly kept: Pick<KeptView, "outgoing">;
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

/** Returns the Send function, which handles one message and one question at a time. */
export function createSend(sending: Sending): (how?: SendWish) => void {
  const { store, draft, attachments, replyCount, tell, askFor, compact } = sending;
  let asking = false;
  return ({ ask = true, deliver: how = "steer" } = {}) => {
    const state = store.get();
    if (state.sending !== null || isUploading(attachments.get())) return;
    const focus = compactFocus(draft.get().text);
    if (focus !== null) {
      draft.take();
      compact(focus === "" ? {} : { focus });
      return;
    }
    const plan = planSend({ state, words: draft.get(), fileCount: attachments.get().length, ask, deliver: how });
    switch (plan.type) {
      case "nothing":
        return;
      case "ask-again":
        if (asking) return;
        asking = true;
        void askFor(plan.nodeId, wishedCount(replyCount.take())).then(() => {
          asking = false;
        });
        return;
      case "refuse":
        tell(plan.reason);
        return;
      case "deliver":
        void send(sending, plan, ask);
        return;
    }
  };
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
  { rootId, client, store, draft, attachments, kept, replyCount, tell }: Sending,
  { text, messages, deliver: how }: Extract<SendPlan, { readonly type: "deliver" }>,
  ask: boolean,
): Promise<void> {
  const files = attachments.take();
  draft.take();
  kept.outgoing.set(text);
  store.setSending(text);
  const parentNodeId = store.get().selection.tipId;
  const replies = ask ? replyCount.take() : null;
  const wish = {
    rootId,
    parentNodeId,
    messages,
    files: files.flatMap(sentFile),
    ask,
    deliver: how,
    replies,
  };
  const result = await deliver(client, wish);
  kept.outgoing.clear();
  store.setSending(null);
  const run = result.ok ? result.value.run : null;
  const { firstId } = result.ok ? result.value : result.error;
  if (run !== null) store.follow(run.id);
  else if (firstId !== null) store.choose(withChild(store.get().selection, parentNodeId, firstId));
  if (result.ok) return;
  // The words return before those typed since.
  draft.putBack(result.error.left);
  attachments.putBack(files);
  // The person may have chosen another number since.
  if (replyCount.get() === null) replyCount.set(replies);
  if (busyCodes.has(result.error.refusal.code)) store.setBusy(true);
  else tell(result.error.refusal);
}

function sentFile({ name, blobId, scaledBlobId }: PendingAttachment): readonly SentFile[] {
  return blobId === null ? [] : [{ name, blobId, ...(scaledBlobId === undefined ? {} : { scaledBlobId }) }];
}
