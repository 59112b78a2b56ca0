import { isJsonObject } from "../../../../core/base/json.ts";
import type { LogStart, StoreWrite } from "../../../../core/port/store.ts";
import { encodeInteger, encodeJson } from "../../row/encode-json.ts";
import { RowReader } from "../../row/row-reader.ts";
import type { Row, RowRefusal, Statements } from "../../row/sql.ts";
import { fileNewChanges } from "./changes.ts";

/** Where the trimmed logs of blocks begin, and the purged blocks of which only the deletion remains. */

export const logStartQueries = {
  logStart: `SELECT b.id, s.version, s.state FROM blocks AS b CROSS JOIN log_starts AS s ON s.block_place = b.place
    WHERE b.id = ?1`,
  trimmedOfTurn: `SELECT b.id FROM trimmed_turns AS t CROSS JOIN blocks AS b ON b.place = t.block_place
    WHERE t.turn_id = ?1 ORDER BY t.block_place`,
} as const;

const snapshotVersion = "SELECT version FROM snapshots WHERE block_id = ?1";
const putStart = `INSERT INTO log_starts (block_place, version, state)
  VALUES ((SELECT place FROM blocks WHERE id = ?1), ?2, ?3)
  ON CONFLICT (block_place) DO UPDATE SET version = ?2, state = ?3 WHERE ?2 > version`;
// Only files and canvases are asked for: a reply is its message, which nobody undoes.
const noteTurns = `INSERT OR IGNORE INTO trimmed_turns (turn_id, block_place)
  SELECT turn_id, block_place FROM changes
  WHERE block_place = (SELECT place FROM blocks WHERE id = ?1 AND kind = 'file') AND version < ?2 AND turn_id IS NOT NULL`;
const trim = "DELETE FROM changes WHERE block_place = (SELECT place FROM blocks WHERE id = ?1) AND version < ?2";

const deletedVersion = "SELECT version FROM blocks WHERE id = ?1 AND deleted_at IS NOT NULL";
const purge = [
  "DELETE FROM block_index WHERE rowid = (SELECT place FROM blocks WHERE id = ?1)",
  "DELETE FROM block_words WHERE block_id = ?1",
  "DELETE FROM revisions WHERE canvas_id = ?1",
  "DELETE FROM draft_revisions WHERE canvas_id = ?1",
  "DELETE FROM suggestions WHERE canvas_id = ?1",
  "DELETE FROM thread_turns WHERE thread_id IN (SELECT id FROM threads WHERE block_id = ?1)",
  "DELETE FROM threads WHERE block_id = ?1",
  "DELETE FROM snapshot_pieces WHERE block_id = ?1",
  "DELETE FROM snapshots WHERE block_id = ?1",
  "DELETE FROM log_starts WHERE block_place = (SELECT place FROM blocks WHERE id = ?1)",
  "DELETE FROM trimmed_turns WHERE block_place = (SELECT place FROM blocks WHERE id = ?1)",
  `DELETE FROM changes
    WHERE block_place = (SELECT place FROM blocks WHERE id = ?1) AND version < (SELECT version FROM blocks WHERE id = ?1)`,
] as const;

export type LogStartRow = readonly [blockId: string, beforeVersion: number, state: string];

export type PurgeRow = readonly [blockId: string, version: number];

export function encodeLogStart({ blockId, beforeVersion, state }: LogStart): LogStartRow {
  return [blockId, encodeInteger(beforeVersion, "beforeVersion"), encodeJson(state, isJsonObject, "state")];
}

export function decodeLogStart(row: Row): LogStart {
  const read = new RowReader("log_starts", row);
  return { blockId: read.text(), beforeVersion: read.integer(), state: read.jsonObject() };
}

export function encodePurge(write: Extract<StoreWrite, { readonly type: "purge-block" }>): PurgeRow {
  return [write.blockId, encodeInteger(write.version, "version")];
}

export function applyTrimChanges(statements: Statements, row: LogStartRow): RowRefusal | null {
  const [blockId, beforeVersion] = row;
  const stored = statements.number(snapshotVersion, [blockId]);
  if (stored === null || stored < beforeVersion) return { code: "CONFLICT", stored };
  if (statements.run(putStart, row) === 0) return null;
  fileNewChanges(statements);
  statements.run(noteTurns, [blockId, beforeVersion]);
  statements.run(trim, [blockId, beforeVersion]);
  return null;
}

export function applyPurgeBlock(statements: Statements, [blockId, version]: PurgeRow): RowRefusal | null {
  const stored = statements.number(deletedVersion, [blockId]);
  if (stored !== version) return { code: "CONFLICT", stored };
  fileNewChanges(statements);
  for (const sql of purge) statements.run(sql, [blockId]);
  return null;
}
