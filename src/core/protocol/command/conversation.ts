import * as v from "valibot";
import { messageUnitsMax } from "../limits.ts";
import { blockId, modelId, rootId, textUpTo, title, toolSyntax } from "../parts.ts";

export const conversationCommands = {
  "conversation.create": v.object({
    title: v.exactOptional(title),
    model: v.exactOptional(modelId),
    toolSyntax: v.exactOptional(toolSyntax),
    canvasId: v.exactOptional(v.nullable(blockId)),
  }),
  "conversation.for-settings": v.object({
    systemPrompt: v.exactOptional(textUpTo(messageUnitsMax)),
    model: v.exactOptional(modelId),
  }),
  "conversation.rename": v.object({ rootId, title }),
  "conversation.set-model": v.object({ rootId, model: modelId }),
  "conversation.set-tool-syntax": v.object({ rootId, toolSyntax: v.nullable(toolSyntax) }),
  "conversation.set-canvas": v.object({ rootId, canvasId: v.nullable(blockId) }),
};
