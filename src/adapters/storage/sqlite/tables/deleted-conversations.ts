import type { StoreWrite } from "../../../../core/port/store.ts";
import { encodeInteger } from "../../row/encode-json.ts";
import type { RowRefusal, Statements } from "../../row/sql.ts";
import { fileNewChanges } from "./changes.ts";

/** Ids of conversations that were deleted with everything in them, so that none is created again. */

/** `?1` the conversation, `?2` the document of its live blocks. */
const inTheWay = `SELECT 1 FROM runs WHERE conversation_id = ?1
    AND state NOT IN ('idle', 'error', 'context-exhausted', 'completed', 'failed')
  UNION ALL SELECT 1 FROM conversations WHERE parent_conversation_id = ?1
  UNION ALL SELECT 1 FROM blocks WHERE document_id = ?2 AND kind = 'file' LIMIT 1`;
const stored = "SELECT 1 FROM conversations WHERE id = ?1";

const ownRuns = "SELECT id FROM runs WHERE conversation_id = ?1";
const ownBlocks = "SELECT place FROM blocks WHERE document_id = ?1";
const remove = [
  "DELETE FROM bookmarks WHERE conversation_id = ?1",
  `DELETE FROM effects WHERE run_id IN (${ownRuns})`,
  `DELETE FROM waiting_messages WHERE run_id IN (${ownRuns})`,
  `DELETE FROM run_events WHERE run_id IN (${ownRuns})`,
  "DELETE FROM runs WHERE conversation_id = ?1",
  "DELETE FROM feed WHERE conversation_id = ?1",
  "DELETE FROM message_index WHERE rowid IN (SELECT place FROM messages WHERE conversation_id = ?1)",
  "DELETE FROM messages WHERE conversation_id = ?1",
  "DELETE FROM deleted_messages WHERE conversation_id = ?1",
  "DELETE FROM trashed_messages WHERE conversation_id = ?1",
  "DELETE FROM trash WHERE conversation_id = ?1",
  "DELETE FROM requests WHERE conversation_id = ?1",
  "DELETE FROM approval_rules WHERE conversation_id = ?1",
  "DELETE FROM conversations WHERE id = ?1",
] as const;
const removeBlocks = [
  "DELETE FROM trash WHERE object_id IN (SELECT id FROM blocks WHERE document_id = ?1)",
  "DELETE FROM snapshot_pieces WHERE block_id IN (SELECT id FROM blocks WHERE document_id = ?1)",
  "DELETE FROM snapshots WHERE block_id IN (SELECT id FROM blocks WHERE document_id = ?1)",
  `DELETE FROM log_starts WHERE block_place IN (${ownBlocks})`,
  `DELETE FROM trimmed_turns WHERE block_place IN (${ownBlocks})`,
  `DELETE FROM changes WHERE block_place IN (${ownBlocks})`,
  "DELETE FROM blocks WHERE document_id = ?1",
] as const;
const remember = "INSERT INTO deleted_conversations (id, deleted_at) VALUES (?1, ?2)";

export type RootDeletionRow = readonly [id: string, documentId: string, at: number];

export function encodeRootDeletion(write: Extract<StoreWrite, { readonly type: "delete-root" }>): RootDeletionRow {
  return [write.rootId, write.documentId, encodeInteger(write.at, "at")];
}

export function applyDeleteRoot(statements: Statements, [id, documentId, at]: RootDeletionRow): RowRefusal | null {
  if (statements.number(stored, [id]) === null) return null;
  if (statements.number(inTheWay, [id, documentId]) !== null) return { code: "CONFLICT", stored: null };
  fileNewChanges(statements);
  for (const sql of removeBlocks) statements.run(sql, [documentId]);
  for (const sql of remove) statements.run(sql, [id]);
  statements.run(remember, [id, at]);
  return null;
}
