import { ok } from "../../core/base/result.ts";
import type { approvalCommands } from "../../core/protocol/command/approval.ts";
import { nothing, type Performs } from "./call.ts";

export const performApproval: Performs<keyof typeof approvalCommands> = {
  "approval.answer": async ({ workspace, actor, remember }, params) =>
    nothing(await workspace.conversations.approvals.answer(actor, params, remember)),
  async "approval.rules"({ workspace }, { rootId }) {
    const rules = await workspace.conversations.approvals.rules(rootId);
    return rules.ok ? ok({ rules: rules.value }) : rules;
  },
  "approval.forget": async ({ workspace, remember }, { ruleId }) =>
    nothing(await workspace.conversations.approvals.forget(ruleId, remember)),
};
