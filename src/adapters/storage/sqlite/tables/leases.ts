import type { HeldLease, Lease } from "../../../../core/lease/types.ts";
import type { LeaseWrite, StoreWrite } from "../../../../core/port/store.ts";
import { must } from "../../../../core/base/assert.ts";
import { encodeInteger } from "../../row/encode-json.ts";
import { RowReader } from "../../row/row-reader.ts";
import type { Row, RowRefusal, SqlValue, Statements } from "../../row/sql.ts";

/**
 * One row per canvas, kept for ever; each lease has a later epoch than any before it. Each change is one conditional
 * statement.
 */

const columns = `canvas_id, epoch, lease_id, holder, holder_name, expires_at_monotonic_ms, expires_at,
  revision_id_at_checkout, last_revision_id`;

export const leaseQueries = {
  lease: `SELECT ${columns} FROM leases WHERE canvas_id = ?1`,
  leases: `SELECT ${columns} FROM leases ORDER BY canvas_id`,
} as const;

const isClaimed = `leases.lease_id = ?3 AND leases.holder = ?4 AND leases.epoch = ?2
    AND leases.expires_at_monotonic_ms > ?10`;
const acquire = `INSERT INTO leases (${columns}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
  ON CONFLICT (canvas_id) DO UPDATE SET epoch = ?2, lease_id = ?3, holder = ?4, holder_name = ?5,
    expires_at_monotonic_ms = ?6, expires_at = ?7, revision_id_at_checkout = ?8, last_revision_id = ?9
  WHERE ((leases.lease_id IS NULL OR leases.expires_at_monotonic_ms <= ?10) AND ?2 > leases.epoch)
    OR (${isClaimed})`;
const renew = `UPDATE leases SET holder_name = ?5, expires_at_monotonic_ms = ?6, expires_at = ?7,
    revision_id_at_checkout = ?8, last_revision_id = ?9
  WHERE canvas_id = ?1 AND ${isClaimed}`;
const emptied = `lease_id = NULL, holder = NULL, holder_name = NULL, expires_at_monotonic_ms = NULL, expires_at = NULL,
    revision_id_at_checkout = NULL, last_revision_id = NULL`;
const release = `UPDATE leases SET ${emptied} WHERE canvas_id = ?1 AND lease_id = ?2`;
const preempt = `INSERT INTO leases (canvas_id, epoch) VALUES (?1, ?2)
  ON CONFLICT (canvas_id) DO UPDATE SET epoch = max(epoch + (lease_id IS NOT NULL), ?2), ${emptied}`;
const guard = `SELECT 1 FROM leases
  WHERE canvas_id = ?1 AND lease_id = ?2 AND holder = ?3 AND epoch = ?4 AND expires_at_monotonic_ms > ?5`;

/** The columns, then the monotonic time of the change. */
export type LeaseChangeRow = readonly [...columns: Row, monotonicMs: number];

export type GuardRow = readonly [canvasId: string, leaseId: string, holder: string, epoch: number, monotonicMs: number];

export function encodeLease(write: Extract<LeaseWrite, { readonly lease: Lease }>): LeaseChangeRow {
  const held = must(write.lease.held, "an acquired or renewed lease is held");
  return [
    write.lease.canvasId,
    encodeInteger(write.lease.epoch, "epoch"),
    held.leaseId,
    held.holder,
    held.holderName,
    held.expiresAtMonotonicMs,
    held.expiresAt,
    held.revisionIdAtCheckout,
    held.lastRevisionId,
    write.monotonicMs,
  ];
}

export function encodeGuard(write: Extract<StoreWrite, { readonly type: "guard-lease" }>): GuardRow {
  return [write.canvasId, write.leaseId, write.holder, encodeInteger(write.epoch, "epoch"), write.monotonicMs];
}

export function decodeLease(row: Row): Lease {
  const read = new RowReader("leases", row);
  return { canvasId: read.text(), epoch: read.integer(), held: decodeHeld(read) };
}

function decodeHeld(read: RowReader): HeldLease | null {
  const leaseId = read.textOrNull<HeldLease["leaseId"]>();
  if (leaseId === null) return null;
  return {
    leaseId,
    holder: read.text(),
    holderName: read.text(),
    expiresAtMonotonicMs: read.real(),
    expiresAt: read.real(),
    revisionIdAtCheckout: read.text(),
    lastRevisionId: read.text(),
  };
}

export function applyAcquire(statements: Statements, row: LeaseChangeRow): RowRefusal | null {
  if (statements.run(acquire, row) === 1) return null;
  const lease = stored(statements, row[0]);
  const held = lease !== null && isHeldAt(lease, row.at(-1));
  return { code: held ? "LOCK_NOT_AVAILABLE" : "STALE_EPOCH", lease };
}

export function applyRenew(statements: Statements, row: LeaseChangeRow): RowRefusal | null {
  if (statements.run(renew, row) === 1) return null;
  const claim = { epoch: row[1], leaseId: row[2], monotonicMs: row.at(-1) };
  return refuseClaim(stored(statements, row[0]), claim);
}

export function applyRelease(statements: Statements, canvasId: string, leaseId: string): null {
  statements.run(release, [canvasId, leaseId]);
  return null;
}

export function applyPreempt(statements: Statements, canvasId: string, epoch: number): null {
  statements.run(preempt, [canvasId, epoch]);
  return null;
}

export function applyGuard(statements: Statements, row: GuardRow): RowRefusal | null {
  if (statements.number(guard, row) !== null) return null;
  const [canvasId, leaseId, , epoch, monotonicMs] = row;
  return refuseClaim(stored(statements, canvasId), { epoch, leaseId, monotonicMs });
}

function stored(statements: Statements, canvasId: SqlValue | undefined): Row | null {
  return statements.all(leaseQueries.lease, [canvasId ?? null])[0] ?? null;
}

interface Claim {
  readonly epoch: SqlValue | undefined;
  readonly leaseId: SqlValue | undefined;
  readonly monotonicMs: SqlValue | undefined;
}

/** Names why a claim failed, after its conditional statement touched no row. */
function refuseClaim(lease: Row | null, claim: Claim): RowRefusal {
  if (lease === null) return { code: "LOCK_NOT_OWNED", lease };
  const [, epoch, leaseId] = lease;
  if (epoch !== claim.epoch) return { code: "STALE_EPOCH", lease };
  const isOver = leaseId === claim.leaseId && !isHeldAt(lease, claim.monotonicMs);
  return { code: isOver ? "LEASE_EXPIRED" : "LOCK_NOT_OWNED", lease };
}

function isHeldAt(lease: Row, now: SqlValue | undefined): boolean {
  const expiresAt = lease[5];
  return typeof expiresAt === "number" && typeof now === "number" && expiresAt > now;
}
