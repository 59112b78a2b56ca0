import type { ApprovalRule } from "../../../../core/turn/state/approval.ts";
import { encodeApprovalRule } from "../../sqlite/tables/approval-rules.ts";
import { any, one, type PlannedWrite } from "../plan/planned-write.ts";

/** Approval rules that people set, for one conversation or for all. */

const columns = "id, conversation_id, created_at, record";

export const approvalRuleQueries = {
  approvalRules: `SELECT ${columns} FROM approval_rules WHERE conversation_id = $1 ORDER BY created_at, id`,
  commonApprovalRules: `SELECT ${columns} FROM approval_rules WHERE conversation_id IS NULL ORDER BY created_at, id`,
} as const;

const put = `INSERT INTO approval_rules (${columns}) VALUES ($1, $2, $3, $4)
  ON CONFLICT (id) DO UPDATE SET created_at = $3, record = $4
  WHERE approval_rules.conversation_id IS NOT DISTINCT FROM $2`;
const remove = "DELETE FROM approval_rules WHERE id = $1";

export function planPutApprovalRule(rule: ApprovalRule): PlannedWrite {
  return {
    type: "put-approval-rule",
    steps: [one(put, encodeApprovalRule(rule))],
    rule: "an approval rule keeps its conversation",
  };
}

export function planDeleteApprovalRule(id: string): PlannedWrite {
  return { type: "delete-approval-rule", steps: [any(remove, [id])] };
}
