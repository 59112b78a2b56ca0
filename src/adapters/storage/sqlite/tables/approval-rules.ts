import { assert } from "../../../../core/base/assert.ts";
import type { RootId } from "../../../../core/base/ids.ts";
import type { ApprovalRule } from "../../../../core/turn/state/approval.ts";
import { encodeInteger, encodeJson } from "../../row/encode-json.ts";
import { isApprovalRule } from "../../row/json-guards.ts";
import { RowReader } from "../../row/row-reader.ts";
import type { Row, Statements } from "../../row/sql.ts";

/** Approval rules that people set, for one conversation or for all. */

const columns = "id, conversation_id, created_at, record";

export const approvalRuleQueries = {
  approvalRules: `SELECT ${columns} FROM approval_rules WHERE conversation_id = ?1 ORDER BY created_at, id`,
  commonApprovalRules: `SELECT ${columns} FROM approval_rules WHERE conversation_id IS NULL ORDER BY created_at, id`,
} as const;

const put = `INSERT INTO approval_rules (${columns}) VALUES (?1, ?2, ?3, ?4)
  ON CONFLICT (id) DO UPDATE SET created_at = ?3, record = ?4 WHERE conversation_id IS ?2`;
const remove = "DELETE FROM approval_rules WHERE id = ?1";

export type ApprovalRuleRow = readonly [id: string, conversationId: string | null, createdAt: number, record: string];

export function encodeApprovalRule(rule: ApprovalRule): ApprovalRuleRow {
  return [
    rule.id,
    rule.rootId,
    encodeInteger(rule.createdAt, "createdAt"),
    encodeJson(rule, isApprovalRule, "an approval rule"),
  ];
}

/** The query for the rules of a conversation, or (null) for those that apply to all. */
export function encodeApprovalRulesQuery(
  rootId: RootId | null,
): readonly [keyof typeof approvalRuleQueries, readonly string[]] {
  return rootId === null ? ["commonApprovalRules", []] : ["approvalRules", [rootId]];
}

export function decodeApprovalRule(row: Row): ApprovalRule {
  const read = new RowReader("approval_rules", row);
  const id = read.text();
  const rootId = read.textOrNull<RootId>();
  const createdAt = read.integer();
  return { ...read.json(isApprovalRule, "an approval rule"), id, rootId, createdAt };
}

export function applyPutApprovalRule(statements: Statements, row: ApprovalRuleRow): null {
  assert(statements.run(put, row) === 1, "an approval rule keeps its conversation");
  return null;
}

export function applyDeleteApprovalRule(statements: Statements, id: string): null {
  statements.run(remove, [id]);
  return null;
}
