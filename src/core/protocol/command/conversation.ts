import * as v from "valibot";
import { messageUnitsMax } from "../limits.ts";
import { blockId, modelId, rootId, textUpTo, title } from "../parts.ts";

export const conversationCommands = {
  "conversation.create": v.object({
    title: v.exactOptional(title),
    model: v.exactOptional(modelId),
    canvasId: v.exactOptional(v.nullable(blockId)),
  }),
  "conversation.for-settings": v.object({
    systemPrompt: v.exactOptional(textUpTo(messageUnitsMax)),
    model: v.exactOptional(modelId),
  }),
  "conversation.rename": v.object({ rootId, title }),
  "conversation.set-model": v.object({ rootId, model: modelId }),
  "conversation.set-canvas": v.object({ rootId, canvasId: v.nullable(blockId) }),
};
