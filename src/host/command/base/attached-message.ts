import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { isNonEmpty } from "../../../core/base/non-empty.ts";
import { err, type Result } from "../../../core/base/result.ts";
import type { ContentBlock } from "../../../core/message/types.ts";
import type { CommandAnswer, CommandParams } from "../../../core/protocol/commands.ts";
import { conversationKey } from "../../../core/rights/object-key.ts";
import type { Asking } from "../../access/member.ts";
import { attachedMedia, megabytes, type Attachment } from "../../blobs/attachments.ts";
import { blobsOfMessages } from "../../blobs/blob-ids.ts";
import { blobReader } from "../../blobs/blob-reader.ts";
import { totalBytesUnknown } from "../../conversation/reply/sent-media.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { CommandCall } from "./call.ts";

/** Sends a message with its attachments, if the model that answers accepts them. */
export async function sendMessage(
  { workspace, actor, asking, remember }: CommandCall<CommandAnswer<"message.send">>,
  { attachments = [], queue, ...params }: CommandParams<"message.send">,
): Promise<Result<CommandAnswer<"message.send">, Refusal>> {
  const { blobs, catalogue, conversations, store } = workspace;
  const message = { ...(queue === true && { deliver: "queue" as const }), ...params };
  if (attachments.length === 0) return conversations.messages.send(actor, message, remember);
  const model = message.model ?? (await store.root(message.rootId))?.model;
  const info = model === undefined ? undefined : catalogue.find(model)?.info;
  const unknown = await whyNotAttached(workspace, asking, attachments);
  const media = unknown === null ? await attachedMedia(blobs, info, attachments) : err(unknown);
  if (!media.ok) return media;
  const before = message.parentNodeId === null ? [] : await store.path(message.parentNodeId);
  const bytes = sum(before.flatMap((node) => blobSizes(node.message.content))) + sum(blobSizes(media.value));
  const most = info?.media?.totalBytesMax ?? totalBytesUnknown;
  if (bytes > most) {
    const said = `With this message, the images and files of this branch have ${megabytes(bytes)}. At most ${megabytes(most)} can be sent at once. Ask in a new conversation, or attach less.`;
    return err(refusal("MEDIA_OVER_LIMIT", { total_bytes: bytes, total_bytes_max: most }, said));
  }
  const used = await blobs.uses?.add(blobsOfMessages([{ content: media.value }]), conversationKey(message.rootId));
  if (used?.ok === false) return used;
  return conversations.messages.send(actor, { ...message, media: media.value }, remember);
}

/** Adds a message with its attachments. No model is asked, so the next model that is asked validates the media. */
export async function addMessage(
  { workspace, actor, asking, remember }: CommandCall<CommandAnswer<"message.add">>,
  { attachments = [], text, ...place }: CommandParams<"message.add">,
): Promise<Result<CommandAnswer<"message.add">, Refusal>> {
  const { blobs, conversations } = workspace;
  const unknown = await whyNotAttached(workspace, asking, attachments);
  const media = unknown === null ? await attachedMedia(blobs, undefined, attachments) : err(unknown);
  if (!media.ok) return media;
  const content = [...media.value, ...(text.trim() === "" ? [] : [{ type: "text", text } as const])];
  if (!isNonEmpty(content)) return err(refusal("MESSAGE_INVALID", {}, "A message cannot be empty."));
  return conversations.messages.add(actor, { ...place, messages: [{ role: "user", content }] }, remember);
}

/** Refuses what somebody may not read as what does not exist: a hash gives no right to the bytes. */
async function whyNotAttached(
  { blobs, ...workspace }: Pick<Workspace, "blobs" | "store" | "folders">,
  asking: Asking,
  attachments: readonly Attachment[],
): Promise<Refusal | null> {
  const ids = attachments.flatMap(({ blobId, scaledBlobId }) => [
    blobId,
    ...(scaledBlobId === undefined ? [] : [scaledBlobId]),
  ]);
  return (await blobs.uses?.whyNot(ids, blobReader(asking, workspace))) ?? null;
}

function blobSizes(content: readonly ContentBlock[]): readonly number[] {
  return content.flatMap((block) =>
    (block.type === "image" || block.type === "file") && block.source.type === "blob"
      ? [Math.min(block.source.size, block.source.scaled?.size ?? block.source.size)]
      : [],
  );
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total + size, 0);
}
