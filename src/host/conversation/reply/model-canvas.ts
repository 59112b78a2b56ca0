import type { BlockId } from "../../../core/base/ids.ts";
import type { ForestRoot } from "../../../core/forest/types.ts";
import { isCanvasUpdate } from "../../../core/message/canvas-update.ts";
import type { Message } from "../../../core/message/types.ts";
import type { Store, TurnAskers } from "../../../core/port/store.ts";
import type { ConversationPorts } from "../base/conversation-ports.ts";

type Choosing = Pick<ForestRoot, "canvasId" | "replies">;

function isOff({ replies }: Choosing): boolean {
  return replies?.toolsOff?.includes("canvas") === true;
}

/** Returns the canvas that a conversation's models know of: none where its canvas tools are switched off. */
export function modelCanvas(root: Choosing): BlockId | null {
  return isOff(root) ? null : root.canvasId;
}

/** Like `modelCanvas`; none either where the turn may not read the canvas. */
export async function readableCanvas(
  root: ForestRoot,
  asked: TurnAskers,
  { rights, store }: Pick<ConversationPorts, "rights"> & { readonly store: Pick<Store, "block"> },
): Promise<BlockId | null> {
  const canvasId = modelCanvas(root);
  const reach = canvasId === null ? null : ((await rights?.reach(root, asked)) ?? null);
  if (canvasId === null || reach === null) return canvasId;
  const header = await store.block(canvasId);
  return header !== null && reach.document(header) ? canvasId : null;
}

/** Returns the messages as sent: without canvas updates where the conversation's canvas tools are switched off. */
export function withoutSwitchedOff(root: Choosing, messages: readonly Message[]): readonly Message[] {
  return isOff(root) ? messages.filter((message) => !isCanvasUpdate(message)) : messages;
}
