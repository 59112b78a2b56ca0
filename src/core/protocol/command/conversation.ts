import * as v from "valibot";
import { approvalTiers, callPolicies } from "../../forest/run-rules.ts";
import { messageUnitsMax } from "../limits.ts";
import { blockId, budget, modelId, rootId, textUpTo, title, toolSyntax } from "../parts.ts";

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
  "conversation.delete": v.object({ rootId }),
  "conversation.rename": v.object({ rootId, title }),
  "conversation.set-model": v.object({ rootId, model: modelId }),
  "conversation.set-tool-syntax": v.object({ rootId, toolSyntax: v.nullable(toolSyntax) }),
  "conversation.rules": v.object({
    rootId,
    approvals: v.exactOptional(v.nullable(v.picklist(approvalTiers))),
    callPolicy: v.exactOptional(v.nullable(v.picklist(callPolicies))),
    budget: v.exactOptional(v.nullable(budget)),
  }),
  "conversation.trace": v.object({ rootId }),
  "conversation.usage": v.object({ rootId }),
  "conversation.set-canvas": v.object({ rootId, canvasId: v.nullable(blockId) }),
};
