import { assert } from "../../../../core/base/assert.ts";
import type { BlockChange, BlockHeader } from "../../../../core/block/types.ts";
import { encodeHeader } from "../../sqlite/tables/blocks.ts";
import { encodeChange } from "../../sqlite/tables/change-row.ts";
import { each } from "../plan/each.ts";
import { one, type PlannedWrite } from "../plan/planned-write.ts";

/** Blocks: their current header, and each mutation that led to it. */

const headerColumns = `id, document_id, parent_id, role, kind, status, version, metadata, collapsed, excluded, policy,
  created_at, updated_at, deleted_at`;
const changeColumns = "b.id, b.document_id, c.version, c.actor, c.at, c.request_id, c.body, c.bytes";
const blockAndChanges = "blocks AS b JOIN changes AS c ON c.block_place = b.place";

export const blockQueries = {
  block: `SELECT ${headerColumns} FROM blocks WHERE id = $1`,
  blocks: `SELECT ${headerColumns} FROM blocks WHERE document_id = $1 ORDER BY place`,
  fileBlocks: `SELECT ${headerColumns} FROM blocks WHERE kind = 'file' ORDER BY place`,
  filesWithoutWords: `SELECT b.id FROM blocks AS b LEFT JOIN block_words AS w ON w.block_id = b.id
    WHERE b.kind = 'file' AND b.deleted_at IS NULL AND (w.version IS NULL OR w.version < b.version) ORDER BY b.place`,
  indexedTexts: `SELECT w.block_id, w.version, w.words
    FROM jsonb_array_elements_text($1::jsonb) AS asked (id), ${each("block_words", "block_id = asked.id")} AS w`,
  changes: `SELECT ${changeColumns} FROM ${blockAndChanges} WHERE b.id = $1 AND c.version > $2 ORDER BY c.version`,
  changesOfTurn: `SELECT ${changeColumns} FROM changes AS c, ${each("blocks", "place = c.block_place")} AS b
    WHERE c.turn_id = $1 ORDER BY c.place`,
  requestVersion: `SELECT c.version FROM ${blockAndChanges} WHERE b.id = $1 AND c.request_id = $2`,
} as const;

// One statement for header and log row, so that the row is stored only when the header was accepted.
const insertChange = `INSERT INTO changes (block_place, version, actor, at, request_id, body, bytes, turn_id)
  SELECT place, $7, $15, $16, $17, $18, $19, $20 FROM header`;
const createBlock = `WITH header AS (
    INSERT INTO blocks (${headerColumns})
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT (id) DO NOTHING RETURNING place)
  ${insertChange}`;
// Indexed columns are compared, not set: PostgreSQL then updates the row without touching the indexes.
const changeBlock = `WITH header AS (
    UPDATE blocks SET parent_id = $3, role = $4, status = $6, version = $7, metadata = $8, collapsed = $9,
      excluded = $10, policy = $11, created_at = $12, updated_at = $13, deleted_at = $14
    WHERE id = $1 AND version = $7 - 1 AND document_id = $2 AND kind = $5 RETURNING place)
  ${insertChange}`;
const storedVersion = "SELECT version FROM blocks WHERE id = $1";

export function planPutChange(header: BlockHeader, change: BlockChange): PlannedWrite {
  assert(
    header.id === change.blockId && header.documentId === change.documentId && header.version === change.version,
    "header and change are of one mutation",
  );
  const requestId = change.requestId ?? null;
  // The log row repeats from the header only actor, time, request, body, bytes and turn.
  const values = [...encodeHeader(header), ...encodeChange(change).slice(-6)];
  return {
    type: "put-change",
    steps: [one(change.version === 1 ? createBlock : changeBlock, values)],
    refusal: async (sql) => {
      if (requestId !== null) {
        const version = await sql.number(blockQueries.requestVersion, [change.blockId, requestId]);
        if (version !== null) return { code: "DUPLICATE_REQUEST", version };
      }
      const stored = await sql.number(storedVersion, [change.blockId]);
      return (stored ?? 0) === change.version - 1 ? null : { code: "CONFLICT", stored };
    },
    rule: "a block keeps its document and its kind",
  };
}
