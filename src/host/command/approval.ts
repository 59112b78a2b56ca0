import { ok } from "../../core/base/result.ts";
import type { approvalCommands } from "../../core/protocol/command/approval.ts";
import { conversationKey, workspaceKey } from "../../core/rights/object-key.ts";
import { nothing, type Performs } from "./base/call.ts";

export const performApproval: Performs<keyof typeof approvalCommands> = {
  async "approval.answer"({ workspace, actor, remember, noted }, params) {
    const { runId, callId, decision } = params;
    const run = await workspace.store.run(runId);
    const turnId = run?.turnId ?? null;
    const through = turnId === null ? null : { runId, turnId, callId };
    const act = decision === "allow" ? "approval.allowed" : "approval.denied";
    const answered = await workspace.conversations.approvals.answer(actor, params, (answer, rootId) => [
      ...remember(answer, rootId),
      ...(rootId === null ? [] : noted({ act, object: conversationKey(rootId) }, through)),
    ]);
    return nothing(answered);
  },
  async "approval.rules"({ workspace }, { rootId }) {
    const rules = await workspace.conversations.approvals.rules(rootId);
    return rules.ok ? ok({ rules: rules.value }) : rules;
  },
  "approval.forget": async ({ workspace, remember, noted }, { ruleId }) =>
    nothing(
      await workspace.conversations.approvals.forget(ruleId, (answer, rootId) => [
        ...remember(answer, rootId),
        ...noted({ act: "approval-rule.forgotten", object: workspaceKey, after: { ruleId } }),
      ]),
    ),
};
