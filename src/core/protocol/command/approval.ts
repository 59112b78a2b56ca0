import * as v from "valibot";
import { rememberedFor } from "../../turn/approval.ts";
import { noteUnitsMax } from "../limits.ts";
import { argumentsHash, rootId, ruleId, runId, textUpTo, toolCallId } from "../parts.ts";

export const approvalCommands = {
  "approval.answer": v.object({
    runId,
    callId: toolCallId,
    argumentsHash,
    decision: v.picklist(["allow", "deny"]),
    remember: v.picklist(rememberedFor),
    note: v.exactOptional(textUpTo(noteUnitsMax)),
  }),
  "approval.rules": v.object({ rootId: v.nullable(rootId) }),
  "approval.forget": v.object({ ruleId }),
};
