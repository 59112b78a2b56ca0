import { must } from "../../../../core/base/assert.ts";
import type { BlockId } from "../../../../core/base/ids.ts";
import type { Lease } from "../../../../core/lease/types.ts";
import type { LeaseWrite, StoreWrite } from "../../../../core/port/store.ts";
import { refusedAcquisition, refusedClaim } from "../../shared/lease-condition.ts";
import { decodeLease, encodeGuard, encodeLease } from "../../sqlite/tables/leases.ts";
import { any, one, type PlannedWrite } from "../plan/planned-write.ts";
import type { Statements } from "../plan/sql.ts";

/**
 * One row per canvas, kept for ever; each lease has a later epoch than any before it. Each change is one conditional
 * statement.
 */

const columns = `canvas_id, epoch, lease_id, holder, holder_name, expires_at_monotonic_ms, expires_at,
  revision_id_at_checkout, last_revision_id`;

export const leaseQueries = {
  lease: `SELECT ${columns} FROM leases WHERE canvas_id = $1`,
  leases: `SELECT ${columns} FROM leases ORDER BY canvas_id`,
} as const;

const isClaimed = `leases.lease_id = $3 AND leases.holder = $4 AND leases.epoch = $2
    AND leases.expires_at_monotonic_ms > $10`;
const acquire = `INSERT INTO leases (${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  ON CONFLICT (canvas_id) DO UPDATE SET epoch = $2, lease_id = $3, holder = $4, holder_name = $5,
    expires_at_monotonic_ms = $6, expires_at = $7, revision_id_at_checkout = $8, last_revision_id = $9
  WHERE ((leases.lease_id IS NULL OR leases.expires_at_monotonic_ms <= $10) AND $2 > leases.epoch)
    OR (${isClaimed})`;
const renew = `UPDATE leases SET holder_name = $5, expires_at_monotonic_ms = $6, expires_at = $7,
    revision_id_at_checkout = $8, last_revision_id = $9
  WHERE canvas_id = $1 AND ${isClaimed}`;
const emptied = `lease_id = NULL, holder = NULL, holder_name = NULL, expires_at_monotonic_ms = NULL, expires_at = NULL,
    revision_id_at_checkout = NULL, last_revision_id = NULL`;
const release = `UPDATE leases SET ${emptied} WHERE canvas_id = $1 AND lease_id = $2`;
const preempt = `INSERT INTO leases (canvas_id, epoch) VALUES ($1, $2)
  ON CONFLICT (canvas_id) DO UPDATE
  SET epoch = greatest(leases.epoch + (CASE WHEN leases.lease_id IS NULL THEN 0 ELSE 1 END), $2), ${emptied}`;
const guard = `SELECT 1 FROM leases
  WHERE canvas_id = $1 AND lease_id = $2 AND holder = $3 AND epoch = $4 AND expires_at_monotonic_ms > $5`;

export function planLeaseWrite(
  write: LeaseWrite | Extract<StoreWrite, { readonly type: "guard-lease" }>,
): PlannedWrite {
  switch (write.type) {
    case "acquire-lease":
    case "renew-lease": {
      const { lease, monotonicMs } = write;
      const { leaseId, holder } = must(lease.held, "an acquired or renewed lease is held");
      const claim = { leaseId, holder, epoch: lease.epoch, monotonicMs };
      const refused = write.type === "acquire-lease" ? refusedAcquisition : refusedClaim;
      return {
        type: write.type,
        steps: [one(write.type === "acquire-lease" ? acquire : renew, encodeLease(write))],
        refusal: (sql) => refusalOf(sql, lease.canvasId, (stored) => refused(stored, claim)),
      };
    }
    case "release-lease":
      return { type: write.type, steps: [any(release, [write.canvasId, write.leaseId])] };
    case "preempt-lease":
      return { type: write.type, steps: [one(preempt, [write.canvasId, write.epoch])] };
    case "guard-lease":
      return {
        type: write.type,
        steps: [one(guard, encodeGuard(write))],
        refusal: (sql) => refusalOf(sql, write.canvasId, (stored) => refusedClaim(stored, write)),
      };
  }
}

type LeaseCode = "LOCK_NOT_AVAILABLE" | "LOCK_NOT_OWNED" | "LEASE_EXPIRED" | "STALE_EPOCH";

async function refusalOf(sql: Statements, canvasId: BlockId, judge: (stored: Lease | null) => LeaseCode | null) {
  const row = await sql.first(leaseQueries.lease, [canvasId]);
  const lease = row === null ? null : decodeLease(row);
  const code = judge(lease);
  return code === null ? null : { code, lease };
}
