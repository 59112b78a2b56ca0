import { assert } from "../../../../core/base/assert.ts";
import type { RightsRecord } from "../../../../core/port/store.ts";
import type { AuditEntry } from "../../../../core/rights/audit.ts";
import { rowKey, type RightsRow } from "../../../../core/rights/rights-row.ts";
import { encodeInteger, encodeJson } from "../../row/encode-json.ts";
import { isAuditEntry, isRightsRow } from "../../row/json-guards.ts";
import { RowReader } from "../../row/row-reader.ts";
import type { Row, RowRefusal, Statements } from "../../row/sql.ts";

/** Who may do what, and the log of who did what. */

const rightsSeq = "SELECT coalesce(max(seq), 0) FROM rights";
const auditSeq = "SELECT coalesce(max(seq), 0) FROM audit";

export const rightsQueries = {
  rights: "SELECT seq, record FROM rights WHERE seq > ?1 ORDER BY seq, key",
  audit: "SELECT record FROM audit WHERE seq > ?1 ORDER BY seq LIMIT ?2",
  auditHead: `SELECT record FROM audit WHERE seq = (${auditSeq})`,
} as const;

const put = `INSERT INTO rights (key, seq, record)
  SELECT value ->> 0, ?1, value ->> 1 FROM json_each(?2) WHERE ?1 = (${rightsSeq}) + 1
  ON CONFLICT (key) DO UPDATE SET seq = excluded.seq, record = excluded.record`;
const append = `INSERT INTO audit (seq, at, record) SELECT ?1, ?2, ?3 WHERE ?1 = (${auditSeq}) + 1`;

export type RightsRows = readonly [seq: number, rows: string];
export type AuditRow = readonly [seq: number, at: number, record: string];

export function encodeRights(seq: number, rows: readonly RightsRow[]): RightsRows {
  // As JSON, a key has only characters that every database keeps.
  const keys = rows.map((row) => JSON.stringify(rowKey(row)));
  assert(rows.length > 0 && new Set(keys).size === rows.length, "a change of rights has rows, each once");
  const records = rows.map((row, index) => [keys[index], encodeJson(row, isRightsRow, "row of rights")]);
  return [encodeInteger(seq, "seq"), JSON.stringify(records)];
}

export function decodeRights(row: Row): RightsRecord {
  const read = new RowReader("rights", row);
  return { seq: read.integer(), row: read.json(isRightsRow, "a row of rights") };
}

export function encodeAudit(entry: AuditEntry): AuditRow {
  const record = encodeJson(entry, isAuditEntry, "entry of the audit log");
  return [encodeInteger(entry.seq, "seq"), encodeInteger(entry.at, "at"), record];
}

export function decodeAudit(row: Row): AuditEntry {
  return new RowReader("audit", row).json(isAuditEntry, "an entry of the audit log");
}

export function applyPutRights(statements: Statements, row: RightsRows): RowRefusal | null {
  if (statements.run(put, row) > 0) return null;
  return { code: "CONFLICT", stored: statements.number(rightsSeq, []) };
}

export function applyAppendAudit(statements: Statements, row: AuditRow): RowRefusal | null {
  if (statements.run(append, row) === 1) return null;
  return { code: "CONFLICT", stored: statements.number(auditSeq, []) };
}
