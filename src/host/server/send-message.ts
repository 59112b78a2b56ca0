import type { Actor } from "../../core/base/actor.ts";
import type { Refusal } from "../../core/base/errors.ts";
import type { Result } from "../../core/base/result.ts";
import type { CommandAnswer, CommandParams } from "../../core/protocol/commands.ts";
import { attachedMedia } from "../blobs/attachments.ts";
import type { Workspace } from "../workspace.ts";

/** Sends a message with what is attached to it, if the model that is to answer takes that. */
export async function sendMessage(
  { blobs, catalogue, conversations, store }: Workspace,
  actor: Actor,
  { attachments = [], ...message }: CommandParams<"message.send">,
): Promise<Result<CommandAnswer<"message.send">, Refusal>> {
  if (attachments.length === 0) return conversations.sendMessage(actor, message);
  const model = message.model ?? (await store.root(message.rootId))?.model;
  const info = model === undefined ? undefined : catalogue.find(model)?.info;
  const media = await attachedMedia(blobs, info, attachments);
  return media.ok ? conversations.sendMessage(actor, { ...message, media: media.value }) : media;
}
