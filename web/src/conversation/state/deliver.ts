import type { HeddleClient } from "../../../../src/client/base/types.ts";
import type { Refusal } from "../../../../src/core/base/errors.ts";
import type { NodeId, RequestId, RootId, RunId } from "../../../../src/core/base/ids.ts";
import { err, ok, type Result } from "../../../../src/core/base/result.ts";
import type { Deliver } from "./plan-send.ts";
import { freshId } from "../../browser/session.ts";

/** An attachment as it is sent. */
export interface SentFile {
  readonly blobId: string;
  readonly name: string;
  readonly scaledBlobId?: string;
}

/** Messages to send in a conversation. */
export interface Delivery {
  readonly rootId: RootId;
  readonly parentNodeId: NodeId | null;
  /** Messages, one below the other. */
  readonly messages: readonly string[];
  /** Attachments of the last message. */
  readonly files: readonly SentFile[];
  /** Whether to request a reply to the last message. */
  readonly ask: boolean;
  /** How the last message reaches an agent at work. */
  readonly deliver: Deliver;
  /** Number of replies; null uses the preset. */
  readonly replies: number | null;
}

interface Delivered {
  /** The first message added; null when everything waits. */
  readonly firstId: NodeId | null;
  /** The run that answers; null when no reply was requested. */
  readonly run: { readonly id: RunId } | null;
}

interface Undelivered {
  readonly refusal: Refusal;
  /** The messages that were not sent; the ones before were. */
  readonly left: readonly string[];
  readonly firstId: NodeId | null;
}

/** Adds messages to a conversation in order, and requests a reply to the last one when `ask` is set. */
export async function deliver(
  client: Pick<HeddleClient, "call">,
  { rootId, messages, files, ask, deliver: how, replies, ...wish }: Delivery,
): Promise<Result<Delivered, Undelivered>> {
  let parentNodeId = wish.parentNodeId;
  let firstId: NodeId | null = null;
  for (const [index, text] of messages.entries()) {
    const last = index === messages.length - 1;
    const message = { rootId, parentNodeId, text, ...(last && files.length > 0 ? { attachments: files } : {}) };
    if (last && ask) {
      const clientRequestId = freshId("req") as RequestId;
      const count = replies === null ? {} : { n: replies };
      const sent = await client.call("message.send", { ...message, ...count, deliver: how, clientRequestId });
      if (!sent.ok) return err({ refusal: sent.error, left: messages.slice(index), firstId });
      return ok({ firstId: firstId ?? sent.value.nodeId, run: { id: sent.value.runId } });
    }
    const added = await client.call("message.add", message);
    if (!added.ok) return err({ refusal: added.error, left: messages.slice(index), firstId });
    parentNodeId = added.value.nodeId;
    firstId ??= parentNodeId;
  }
  return ok({ firstId, run: null });
}
