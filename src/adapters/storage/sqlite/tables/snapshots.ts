import { assert, must } from "../../../../core/base/assert.ts";
import type { SnapshotRecord } from "../../../../core/port/store.ts";
import { encodeBytes, encodeInteger } from "../../row/encode-json.ts";
import { RowReader } from "../../row/row-reader.ts";
import type { Row, Statements } from "../../row/sql.ts";
import { joinPieces, type PieceKey, type TableWrite } from "../../shared/long-snapshots.ts";

/** The newest snapshot of each block's text: in its row, or in pieces that the row names. */

const isNamed = `EXISTS (SELECT 1 FROM snapshots AS s
    WHERE s.block_id = snapshot_pieces.block_id AND s.snapshot_id = snapshot_pieces.snapshot_id)`;

export const snapshotQueries = {
  snapshot: `SELECT s.block_id, s.version, s.bytes, s.pieces, p.bytes FROM snapshots AS s
    LEFT JOIN snapshot_pieces AS p ON p.block_id = s.block_id AND p.snapshot_id = s.snapshot_id
    WHERE s.block_id = ?1 ORDER BY p.n`,
  unnamedPieces: `SELECT block_id, snapshot_id, n FROM snapshot_pieces WHERE block_id = ?1 AND NOT ${isNamed}`,
} as const;

const put = `INSERT INTO snapshots (block_id, version, bytes, snapshot_id, pieces) VALUES (?1, ?2, ?3, ?4, ?5)
  ON CONFLICT (block_id) DO UPDATE SET version = ?2, bytes = ?3, snapshot_id = ?4, pieces = ?5
  WHERE ?2 >= snapshots.version`;
const deleteReplaced = `DELETE FROM snapshot_pieces WHERE block_id = ?1
  AND snapshot_id = (SELECT snapshot_id FROM snapshots WHERE block_id = ?1 AND version <= ?2)`;
const putPiece = "INSERT INTO snapshot_pieces (block_id, snapshot_id, n, bytes) VALUES (?1, ?2, ?3, ?4)";
const countPieces = "SELECT count(*) FROM snapshot_pieces WHERE block_id = ?1 AND snapshot_id = ?2";
const deletePiece = `DELETE FROM snapshot_pieces
  WHERE block_id = ?1 AND snapshot_id = ?2 AND n = ?3 AND NOT ${isNamed}`;

/** Deletes what a crash has left of snapshots that were never named. */
export const deleteUnnamedPieces = `DELETE FROM snapshot_pieces WHERE NOT ${isNamed}`;

/** Deletes snapshots that lack a piece: a text opens from its changes alone, and not at all from a torn snapshot. */
export const deleteTornSnapshots = `DELETE FROM snapshots WHERE pieces <> (SELECT count(*) FROM snapshot_pieces AS p
  WHERE p.block_id = snapshots.block_id AND p.snapshot_id = snapshots.snapshot_id)`;

export type SnapshotRow = readonly [
  blockId: string,
  version: number,
  bytes: Uint8Array,
  snapshotId: string | null,
  pieces: number,
];

export type PieceKeyRow = readonly [blockId: string, snapshotId: string, n: number];

export type PieceRow = readonly [...PieceKeyRow, bytes: Uint8Array];

export function encodeSnapshot({ blockId, version, bytes }: SnapshotRecord): SnapshotRow {
  return [blockId, encodeInteger(version, "version"), encodeBytes(bytes), null, 0];
}

export function encodeNamedSnapshot(write: Extract<TableWrite, { readonly type: "name-snapshot" }>): SnapshotRow {
  const version = encodeInteger(write.version, "version");
  return [write.blockId, version, new Uint8Array(), write.snapshotId, encodeInteger(write.pieces, "pieces")];
}

export function encodePieceKey({ blockId, snapshotId, n }: PieceKey): PieceKeyRow {
  return [blockId, snapshotId, encodeInteger(n, "n")];
}

export function encodePiece(write: Extract<TableWrite, { readonly type: "put-snapshot-piece" }>): PieceRow {
  return [...encodePieceKey(write.key), encodeBytes(write.bytes)];
}

export function decodePieceKey(row: Row): PieceKey {
  const read = new RowReader("snapshot_pieces", row);
  return { blockId: read.text(), snapshotId: read.text(), n: read.integer() };
}

/** A snapshot from its rows, one for each piece; null where there is none. */
export function decodeSnapshot(rows: readonly Row[]): SnapshotRecord | null {
  if (rows.length === 0) return null;
  const parts = rows.map((row) => {
    const read = new RowReader("snapshots", row);
    const named = { blockId: read.text<SnapshotRecord["blockId"]>(), version: read.integer(), bytes: read.bytes() };
    const pieces = read.integer();
    return { named, pieces, bytes: pieces === 0 ? null : read.bytes() };
  });
  const { named, pieces } = must(parts[0], "a snapshot has a row");
  if (pieces === 0) return named;
  assert(parts.length === pieces, `the snapshot of ${named.blockId} has its ${pieces} pieces`);
  return { ...named, bytes: joinPieces(parts.flatMap(({ bytes }) => bytes ?? [])) };
}

export function applyPutSnapshot(statements: Statements, row: SnapshotRow): null {
  const [blockId, version] = row;
  statements.run(deleteReplaced, [blockId, version]);
  statements.run(put, row);
  return null;
}

export function applyNameSnapshot(statements: Statements, row: SnapshotRow): null {
  const [blockId, , , snapshotId, pieces] = row;
  assert(statements.number(countPieces, [blockId, snapshotId]) === pieces, "a snapshot that is named is whole");
  statements.run(put, row);
  return null;
}

export function applyPutPiece(statements: Statements, row: PieceRow): null {
  statements.run(putPiece, row);
  return null;
}

export function applyDeletePiece(statements: Statements, row: PieceKeyRow): null {
  statements.run(deletePiece, row);
  return null;
}
