import type { AuditEntry } from "../../../../core/rights/audit.ts";
import type { RightsRow } from "../../../../core/rights/rights-row.ts";
import { encodeAudit, encodeRights } from "../../sqlite/tables/rights.ts";
import { one, type PlannedWrite } from "../plan/planned-write.ts";

/** Who may do what, and the log of who did what. */

const rightsSeq = "SELECT coalesce(max(seq), 0) FROM rights";
const auditSeq = "SELECT coalesce(max(seq), 0) FROM audit";

export const rightsQueries = {
  rights: "SELECT seq, record FROM rights WHERE seq > $1 ORDER BY seq, key",
  audit: "SELECT record FROM audit WHERE seq > $1 ORDER BY seq LIMIT $2",
  auditHead: `SELECT record FROM audit WHERE seq = (${auditSeq})`,
} as const;

const put = `INSERT INTO rights (key, seq, record)
  SELECT value ->> 0, $1, value ->> 1 FROM json_array_elements($2::json) WHERE $1 = (${rightsSeq}) + 1
  ON CONFLICT (key) DO UPDATE SET seq = excluded.seq, record = excluded.record`;
const append = `INSERT INTO audit (seq, at, record) SELECT $1, $2, $3 WHERE $1 = (${auditSeq}) + 1`;

export function planPutRights(seq: number, rows: readonly RightsRow[]): PlannedWrite {
  return {
    type: "put-rights",
    steps: [{ sql: put, values: encodeRights(seq, rows), touches: rows.length }],
    refusal: async (sql) => {
      const stored = await sql.number(rightsSeq, []);
      return seq === (stored ?? 0) + 1 ? null : { code: "CONFLICT", stored };
    },
  };
}

export function planAppendAudit(entry: AuditEntry): PlannedWrite {
  return {
    type: "append-audit",
    steps: [one(append, encodeAudit(entry))],
    refusal: async (sql) => {
      const stored = await sql.number(auditSeq, []);
      return entry.seq === (stored ?? 0) + 1 ? null : { code: "CONFLICT", stored };
    },
  };
}
