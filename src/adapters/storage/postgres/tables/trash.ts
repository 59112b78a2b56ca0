import type { TrashId } from "../../../../core/base/ids.ts";
import type { TrashEntry } from "../../../../core/forest/trash-entry.ts";
import type { StoreWrite } from "../../../../core/port/store.ts";
import { encodeInteger } from "../../row/encode-json.ts";
import { encodeTrash, encodeTrashedNodes } from "../../sqlite/tables/trash.ts";
import { any, one, type PlannedWrite } from "../plan/planned-write.ts";

type WriteOf<Type extends StoreWrite["type"]> = Extract<StoreWrite, { readonly type: Type }>;

/** What was deleted and can be restored. */

export const trashQueries = {
  trash: "SELECT record FROM trash WHERE id < $1 ORDER BY id DESC LIMIT $2",
  trashEntry: "SELECT record FROM trash WHERE id = $1",
  trashed: "SELECT record FROM trash WHERE object_id = $1",
  trashedNodes: "SELECT record FROM trashed_messages WHERE trash_id = $1 ORDER BY place",
  dueTrash: "SELECT record FROM trash WHERE purge_at <= $1 ORDER BY purge_at, id LIMIT $2",
} as const;

// PostgreSQL takes one conflict clause: an object of another entry is excluded before.
const put = `INSERT INTO trash (id, object_id, purge_at, record, conversation_id)
  SELECT $1, $2, $3, $4, $5 WHERE NOT EXISTS (SELECT 1 FROM trash WHERE object_id = $2 AND id <> $1)
  ON CONFLICT (id) DO UPDATE SET purge_at = $3, record = $4 WHERE trash.object_id = $2`;
const remove = "DELETE FROM trash WHERE id = $1";

const refused = async () => ({ code: "CONFLICT", stored: null }) as const;

export function planPutTrash(entry: TrashEntry): PlannedWrite {
  return { type: "put-trash", steps: [one(put, encodeTrash(entry))], refusal: refused };
}

export function planDeleteTrash(id: TrashId): PlannedWrite {
  return { type: "delete-trash", steps: [one(remove, [id])], refusal: refused };
}

const busy = `SELECT 1 FROM runs WHERE conversation_id = $1
    AND state NOT IN ('idle', 'error', 'context-exhausted', 'completed', 'failed') LIMIT 1`;
const isIdle = `SELECT 1 WHERE NOT EXISTS (${busy})`;
const hideRoot = "UPDATE conversations SET trashed_at = $2, config_hash = NULL WHERE id = $1";
const showRoot = "UPDATE conversations SET trashed_at = NULL WHERE id = $1 AND trashed_at IS NOT NULL";
const putNode = "INSERT INTO trashed_messages (trash_id, id, conversation_id, record) VALUES ($1, $2, $3, $4)";
const forgetDeletion = "DELETE FROM deleted_messages WHERE id IN (SELECT id FROM trashed_messages WHERE trash_id = $1)";
const dropNodes = "DELETE FROM trashed_messages WHERE trash_id = $1";

export function planTrashRoot({ rootId, at }: WriteOf<"trash-root">): PlannedWrite {
  return {
    type: "trash-root",
    steps: [one(isIdle, [rootId]), any(hideRoot, [rootId, encodeInteger(at, "at")])],
    refusal: refused,
  };
}

export function planRestoreRoot({ rootId }: WriteOf<"restore-root">): PlannedWrite {
  return { type: "restore-root", steps: [one(showRoot, [rootId])], refusal: refused };
}

export function planPutTrashedNodes(write: WriteOf<"put-trashed-nodes">): PlannedWrite {
  return { type: write.type, steps: encodeTrashedNodes(write).map((row) => one(putNode, row)) };
}

export function planDropTrashedNodes({ type, trashId, restores }: WriteOf<"drop-trashed-nodes">): PlannedWrite {
  return { type, steps: [...(restores ? [any(forgetDeletion, [trashId])] : []), any(dropNodes, [trashId])] };
}
