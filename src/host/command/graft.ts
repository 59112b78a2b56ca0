import type { PersonActor } from "../../core/base/actor.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { err, type Result } from "../../core/base/result.ts";
import { isCanvasUpdate } from "../../core/message/canvas-update.ts";
import type { CommandAnswer, CommandParams } from "../../core/protocol/commands.ts";
import type { Remember } from "../base/once.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** Copies a stretch of a branch below another message. What Heddle reported there of a document does not hold elsewhere. */
export async function graftMessages(
  { store, conversations }: Workspace,
  actor: PersonActor,
  { nodeId, fromNodeId, parentNodeId }: CommandParams<"message.graft">,
  remember: Remember<CommandAnswer<"message.graft">>,
): Promise<Result<CommandAnswer<"message.graft">, Refusal>> {
  const path = await store.path(nodeId);
  const last = path.at(-1);
  if (last === undefined) return err(refusal("NODE_NOT_FOUND", { node_id: nodeId }));
  const first = path.findIndex(({ id }) => id === fromNodeId);
  if (first < 0) return err(refusal("NODE_NOT_FOUND", { node_id: fromNodeId }));
  const messages = path.slice(first).flatMap(({ message }) => (isCanvasUpdate(message) ? [] : [message]));
  const { rootId } = last;
  return conversations.messages.add(actor, { rootId, parentNodeId, messages, copiedFrom: nodeId }, remember);
}
