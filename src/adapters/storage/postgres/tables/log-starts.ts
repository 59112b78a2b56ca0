import type { LogStart, StoreWrite } from "../../../../core/port/store.ts";
import { encodeLogStart, encodePurge } from "../../sqlite/tables/log-starts.ts";
import { each } from "../plan/each.ts";
import { any, one, type PlannedWrite } from "../plan/planned-write.ts";

/** Where the trimmed logs of blocks begin, and the purged blocks of which only the deletion remains. */

export const logStartQueries = {
  logStart: `SELECT b.id, s.version, s.state FROM blocks AS b JOIN log_starts AS s ON s.block_place = b.place
    WHERE b.id = $1`,
  trimmedOfTurn: `SELECT b.id FROM trimmed_turns AS t, ${each("blocks", "place = t.block_place")} AS b
    WHERE t.turn_id = $1 ORDER BY t.block_place`,
} as const;

const snapshotVersion = "SELECT version FROM snapshots WHERE block_id = $1";
const snapshotExists = "SELECT 1 FROM snapshots WHERE block_id = $1 AND version >= $2";
// Every part of the statement sees the rows before it, so the turns counted are those of the deleted rows. Only those of
// files and canvases are asked for: a reply is its message, which nobody undoes.
const trim = `WITH start AS (
    INSERT INTO log_starts AS stored (block_place, version, state) SELECT place, $2, $3 FROM blocks WHERE id = $1
    ON CONFLICT (block_place) DO UPDATE SET version = $2, state = $3 WHERE stored.version < $2
    RETURNING block_place),
  turns AS (
    INSERT INTO trimmed_turns (turn_id, block_place)
    SELECT DISTINCT c.turn_id, c.block_place FROM start JOIN changes AS c ON c.block_place = start.block_place
    WHERE EXISTS (SELECT 1 FROM blocks AS b WHERE b.place = start.block_place AND b.kind = 'file')
    AND c.version < $2 AND c.turn_id IS NOT NULL ON CONFLICT DO NOTHING)
  DELETE FROM changes AS c USING start WHERE c.block_place = start.block_place AND c.version < $2`;

const deletedVersion = "SELECT version FROM blocks WHERE id = $1 AND deleted_at IS NOT NULL";
const isDeleted = `${deletedVersion} AND version = $2`;
const purge = [
  "DELETE FROM block_index WHERE place = (SELECT place FROM blocks WHERE id = $1)",
  "DELETE FROM block_words WHERE block_id = $1",
  "DELETE FROM revisions WHERE canvas_id = $1",
  "DELETE FROM draft_revisions WHERE canvas_id = $1",
  "DELETE FROM suggestions WHERE canvas_id = $1",
  "DELETE FROM thread_turns WHERE thread_id IN (SELECT id FROM threads WHERE block_id = $1)",
  "DELETE FROM threads WHERE block_id = $1",
  "DELETE FROM snapshot_pieces WHERE block_id = $1",
  "DELETE FROM snapshots WHERE block_id = $1",
  "DELETE FROM log_starts WHERE block_place = (SELECT place FROM blocks WHERE id = $1)",
  "DELETE FROM trimmed_turns WHERE block_place = (SELECT place FROM blocks WHERE id = $1)",
  `DELETE FROM changes
    WHERE block_place = (SELECT place FROM blocks WHERE id = $1) AND version < (SELECT version FROM blocks WHERE id = $1)`,
] as const;

export function planTrimChanges(start: LogStart): PlannedWrite {
  const row = encodeLogStart(start);
  const [blockId, beforeVersion] = row;
  return {
    type: "trim-changes",
    steps: [one(snapshotExists, [blockId, beforeVersion]), any(trim, row)],
    refusal: async (sql) => {
      const stored = await sql.number(snapshotVersion, [blockId]);
      return stored === null || stored < beforeVersion ? { code: "CONFLICT", stored } : null;
    },
  };
}

export function planPurgeBlock(write: Extract<StoreWrite, { readonly type: "purge-block" }>): PlannedWrite {
  const [blockId, version] = encodePurge(write);
  return {
    type: "purge-block",
    steps: [one(isDeleted, [blockId, version]), ...purge.map((sql) => any(sql, [blockId]))],
    refusal: async (sql) => {
      const stored = await sql.number(deletedVersion, [blockId]);
      return stored === version ? null : { code: "CONFLICT", stored };
    },
  };
}
