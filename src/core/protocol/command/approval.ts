import * as v from "valibot";
import { rememberedFor, type ApprovalRule } from "../../turn/state/approval.ts";
import { onConversations, onRun, onWorkspace } from "../base/access.ts";
import { command } from "../base/command-row.ts";
import { noteUnitsMax } from "../base/limits.ts";
import { shown, described, nothing, rootId, ruleId, runId, sha256, textUpTo, time, toolCallId } from "../base/parts.ts";
import { madeRootId } from "../shape/forest.ts";

/** A person's approval that covers further calls of a tool. */
export const approvalRule: v.GenericSchema<unknown, ApprovalRule> = v.object({
  id: v.pipe(v.string(), v.examples(["rule_01"])),
  rootId: described(v.nullable(madeRootId), "The conversation in which the rule applies; null for all."),
  toolName: shown("canvas_check_out"),
  definitionHash: described(sha256, "SHA-256 of the tool's definition as models receive it."),
  call: described(
    v.nullable(v.object({ argumentsHash: sha256, shown: shown("npm test") })),
    "The single call that the rule allows; null for every call of the tool.",
  ),
  createdAt: time,
  createdBy: shown("Ada", "Name of the person."),
});

export const approvalCommands = {
  "approval.answer": command({
    description: "Allows or denies the tool call that waits for approval; the first answer counts.",
    params: v.object({
      runId,
      callId: described(toolCallId, "The call, as in the run's state `awaiting-approval`."),
      argumentsHash: described(sha256, "As in that state."),
      decision: described(v.picklist(["allow", "deny"]), "The decision."),
      remember: described(v.picklist(rememberedFor), "Which further calls the approval covers."),
      note: v.exactOptional(described(textUpTo(noteUnitsMax), "Sent to the model with a denial.")),
    }),
    access: onRun("conversation.approve"),
    answer: nothing,
    refusals: ["RUN_NOT_FOUND", "APPROVAL_CLOSED"],
  }),
  "approval.rules": command({
    description: "Lists the approval rules that apply in a conversation, or in all, oldest first.",
    params: v.object({ rootId: described(v.nullable(rootId), "null for the rules of all conversations.") }),
    access: onConversations("conversation.see-rules", "workspace.see-rules"),
    answer: v.object({ rules: v.array(approvalRule) }),
    refusals: ["ROOT_NOT_FOUND"],
  }),
  "approval.forget": command({
    description: "Deletes an approval rule, so that its calls need approval again; succeeds if there is no such rule.",
    params: v.object({ ruleId }),
    access: onWorkspace("workspace.set"),
    answer: nothing,
  }),
};
