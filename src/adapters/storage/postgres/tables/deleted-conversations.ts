import type { StoreWrite } from "../../../../core/port/store.ts";
import { encodeRootDeletion } from "../../sqlite/tables/deleted-conversations.ts";
import { any, one, type PlannedWrite } from "../plan/planned-write.ts";

/** Ids of conversations that were deleted with everything in them, so that none is created again. */

/** `$1` the conversation, `$2` the document of its live blocks, `$3` the kind of files. */
const inTheWay = `SELECT 1 FROM runs WHERE conversation_id = $1
    AND state NOT IN ('idle', 'error', 'context-exhausted', 'completed', 'failed')
  UNION ALL SELECT 1 FROM conversations WHERE parent_conversation_id = $1
  UNION ALL SELECT 1 FROM blocks WHERE document_id = $2 AND kind = $3 LIMIT 1`;
const mayDelete = `SELECT 1 WHERE NOT EXISTS (${inTheWay})`;

const ownRuns = "SELECT id FROM runs WHERE conversation_id = $1";
const ownBlocks = "SELECT place FROM blocks WHERE document_id = $1";
const remove = [
  "DELETE FROM bookmarks WHERE conversation_id = $1",
  `DELETE FROM effects WHERE run_id IN (${ownRuns})`,
  `DELETE FROM waiting_messages WHERE run_id IN (${ownRuns})`,
  `DELETE FROM run_events WHERE run_id IN (${ownRuns})`,
  "DELETE FROM runs WHERE conversation_id = $1",
  "DELETE FROM feed WHERE conversation_id = $1",
  // A foreign key deletes the indexed words.
  "DELETE FROM messages WHERE conversation_id = $1",
  "DELETE FROM deleted_messages WHERE conversation_id = $1",
  "DELETE FROM trashed_messages WHERE conversation_id = $1",
  "DELETE FROM trash WHERE conversation_id = $1",
  "DELETE FROM requests WHERE conversation_id = $1",
  "DELETE FROM approval_rules WHERE conversation_id = $1",
] as const;
const removeBlocks = [
  "DELETE FROM trash WHERE object_id IN (SELECT id FROM blocks WHERE document_id = $1)",
  "DELETE FROM snapshot_pieces WHERE block_id IN (SELECT id FROM blocks WHERE document_id = $1)",
  "DELETE FROM snapshots WHERE block_id IN (SELECT id FROM blocks WHERE document_id = $1)",
  `DELETE FROM log_starts WHERE block_place IN (${ownBlocks})`,
  `DELETE FROM trimmed_turns WHERE block_place IN (${ownBlocks})`,
  `DELETE FROM changes WHERE block_place IN (${ownBlocks})`,
  "DELETE FROM blocks WHERE document_id = $1",
] as const;
// Remembers the id only if the conversation existed.
const removeRoot = `WITH deleted AS (DELETE FROM conversations WHERE id = $1 RETURNING id)
  INSERT INTO deleted_conversations (id, deleted_at) SELECT id, $2 FROM deleted`;

export function planDeleteRoot(write: Extract<StoreWrite, { readonly type: "delete-root" }>): PlannedWrite {
  const [id, documentId, at] = encodeRootDeletion(write);
  const claim = [id, documentId, "file"];
  return {
    type: "delete-root",
    steps: [
      one(mayDelete, claim),
      ...removeBlocks.map((sql) => any(sql, [documentId])),
      ...remove.map((sql) => any(sql, [id])),
      any(removeRoot, [id, at]),
    ],
    refusal: async (sql) => ((await sql.first(inTheWay, claim)) === null ? null : { code: "CONFLICT", stored: null }),
  };
}
