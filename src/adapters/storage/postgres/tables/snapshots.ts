import type { SnapshotRecord } from "../../../../core/port/store.ts";
import type { TableWrite } from "../../shared/long-snapshots.ts";
import { encodeNamedSnapshot, encodePiece, encodePieceKey, encodeSnapshot } from "../../sqlite/tables/snapshots.ts";
import { any, one, type PlannedWrite } from "../plan/planned-write.ts";

/** The newest snapshot of each block's text: in its row, or in pieces that the row names. */

const isNamed = `EXISTS (SELECT 1 FROM snapshots AS s
    WHERE s.block_id = snapshot_pieces.block_id AND s.snapshot_id = snapshot_pieces.snapshot_id)`;

export const snapshotQueries = {
  snapshot: `SELECT s.block_id, s.version, s.bytes, s.pieces, p.bytes FROM snapshots AS s
    LEFT JOIN snapshot_pieces AS p ON p.block_id = s.block_id AND p.snapshot_id = s.snapshot_id
    WHERE s.block_id = $1 ORDER BY p.n`,
  unnamedPieces: `SELECT block_id, snapshot_id, n FROM snapshot_pieces WHERE block_id = $1 AND NOT ${isNamed}`,
} as const;

const put = `INSERT INTO snapshots (block_id, version, bytes, snapshot_id, pieces) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (block_id) DO UPDATE SET version = $2, bytes = $3, snapshot_id = $4, pieces = $5
  WHERE $2 >= snapshots.version`;
const deleteReplaced = `DELETE FROM snapshot_pieces WHERE block_id = $1
  AND snapshot_id = (SELECT snapshot_id FROM snapshots WHERE block_id = $1 AND version <= $2)`;
const putPiece = "INSERT INTO snapshot_pieces (block_id, snapshot_id, n, bytes) VALUES ($1, $2, $3, $4)";
const isWhole = "SELECT 1 WHERE (SELECT count(*) FROM snapshot_pieces WHERE block_id = $1 AND snapshot_id = $2) = $3";
const deletePiece = `DELETE FROM snapshot_pieces
  WHERE block_id = $1 AND snapshot_id = $2 AND n = $3 AND NOT ${isNamed}`;

export function planPutSnapshot(snapshot: SnapshotRecord): PlannedWrite {
  const row = encodeSnapshot(snapshot);
  const [blockId, version] = row;
  return { type: "put-snapshot", steps: [any(deleteReplaced, [blockId, version]), any(put, row)] };
}

export function planNameSnapshot(write: Extract<TableWrite, { readonly type: "name-snapshot" }>): PlannedWrite {
  const row = encodeNamedSnapshot(write);
  const [blockId, , , snapshotId, pieces] = row;
  return {
    type: write.type,
    steps: [one(isWhole, [blockId, snapshotId, pieces]), any(put, row)],
    rule: "a snapshot that is named is whole",
  };
}

export function planPutPiece(write: Extract<TableWrite, { readonly type: "put-snapshot-piece" }>): PlannedWrite {
  return { type: write.type, steps: [one(putPiece, encodePiece(write))] };
}

export function planDeletePiece(write: Extract<TableWrite, { readonly type: "delete-snapshot-piece" }>): PlannedWrite {
  return { type: write.type, steps: [any(deletePiece, encodePieceKey(write.key))] };
}
