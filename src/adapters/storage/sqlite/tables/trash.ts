import type { TrashId } from "../../../../core/base/ids.ts";
import type { ForestNode } from "../../../../core/forest/types.ts";
import { conversationOf, trashedId, type TrashEntry } from "../../../../core/forest/trash-entry.ts";
import type { StoreWrite, TrashQuery } from "../../../../core/port/store.ts";
import { encodeInteger, encodeJson } from "../../row/encode-json.ts";
import { isForestNode, isTrashEntry } from "../../row/json-guards.ts";
import { RowReader } from "../../row/row-reader.ts";
import type { Row, RowRefusal, Statements } from "../../row/sql.ts";

/** What was deleted and can be restored. */

export const trashQueries = {
  trash: "SELECT record FROM trash WHERE id < ?1 ORDER BY id DESC LIMIT ?2",
  trashEntry: "SELECT record FROM trash WHERE id = ?1",
  trashed: "SELECT record FROM trash WHERE object_id = ?1",
  trashedNodes: "SELECT record FROM trashed_messages WHERE trash_id = ?1 ORDER BY place",
  dueTrash: "SELECT record FROM trash WHERE purge_at <= ?1 ORDER BY purge_at, id LIMIT ?2",
} as const;

const put = `INSERT INTO trash (id, object_id, purge_at, record, conversation_id) VALUES (?1, ?2, ?3, ?4, ?5)
  ON CONFLICT (id) DO UPDATE SET purge_at = ?3, record = ?4 WHERE object_id = ?2
  ON CONFLICT (object_id) DO NOTHING`;
const remove = "DELETE FROM trash WHERE id = ?1";

const busy = `SELECT 1 FROM runs WHERE conversation_id = ?1
    AND state NOT IN ('idle', 'error', 'context-exhausted', 'completed', 'failed') LIMIT 1`;
const hideRoot = "UPDATE conversations SET trashed_at = ?2, config_hash = NULL WHERE id = ?1";
const showRoot = "UPDATE conversations SET trashed_at = NULL WHERE id = ?1 AND trashed_at IS NOT NULL";
const putNode = "INSERT INTO trashed_messages (trash_id, id, conversation_id, record) VALUES (?1, ?2, ?3, ?4)";
const forgetDeletion = "DELETE FROM deleted_messages WHERE id IN (SELECT id FROM trashed_messages WHERE trash_id = ?1)";
const dropNodes = "DELETE FROM trashed_messages WHERE trash_id = ?1";

export type TrashRow = readonly [
  id: string,
  objectId: string,
  purgeAt: number | null,
  record: string,
  conversationId: string | null,
];

/** A message in the trash. */
export type TrashedNodeRow = readonly [trashId: string, id: string, conversationId: string, record: string];

export function encodeTrash(entry: TrashEntry): TrashRow {
  return [
    entry.id,
    trashedId(entry.object),
    entry.purgeAt === null ? null : encodeInteger(entry.purgeAt, "purgeAt"),
    encodeJson(entry, isTrashEntry, "an entry of the trash"),
    conversationOf(entry.object),
  ];
}

export function encodeTrashedNodes(
  write: Extract<StoreWrite, { readonly type: "put-trashed-nodes" }>,
): readonly TrashedNodeRow[] {
  return write.nodes.map((node) => [
    write.trashId,
    node.id,
    node.rootId,
    encodeJson(node, isForestNode, "a message in the trash"),
  ]);
}

export function decodeTrashedNode(row: Row): ForestNode {
  return new RowReader("trashed_messages", row).json(isForestNode, "a message in the trash");
}

export function encodeTrashQuery({ before, limit }: TrashQuery): readonly [string, number] {
  // Above every id.
  return [before ?? "~", encodeInteger(limit, "limit")];
}

export function decodeTrash(row: Row): TrashEntry {
  return new RowReader("trash", row).json(isTrashEntry, "an entry of the trash");
}

export function applyPutTrash(statements: Statements, row: TrashRow): RowRefusal | null {
  return statements.run(put, row) === 1 ? null : { code: "CONFLICT", stored: null };
}

export function applyDeleteTrash(statements: Statements, id: TrashId | string): RowRefusal | null {
  return statements.run(remove, [id]) === 1 ? null : { code: "CONFLICT", stored: null };
}

export function applyTrashRoot(statements: Statements, rootId: string, at: number): RowRefusal | null {
  if (statements.number(busy, [rootId]) !== null) return { code: "CONFLICT", stored: null };
  statements.run(hideRoot, [rootId, at]);
  return null;
}

export function applyRestoreRoot(statements: Statements, rootId: string): RowRefusal | null {
  return statements.run(showRoot, [rootId]) === 1 ? null : { code: "CONFLICT", stored: null };
}

export function applyPutTrashedNodes(statements: Statements, rows: readonly TrashedNodeRow[]): null {
  for (const row of rows) statements.run(putNode, row);
  return null;
}

export function applyDropTrashedNodes(statements: Statements, trashId: string, restores: boolean): null {
  if (restores) statements.run(forgetDeletion, [trashId]);
  statements.run(dropNodes, [trashId]);
  return null;
}
