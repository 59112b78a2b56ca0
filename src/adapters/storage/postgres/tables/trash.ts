import type { TrashId } from "../../../../core/base/ids.ts";
import type { TrashEntry } from "../../../../core/forest/trash-entry.ts";
import { encodeTrash } from "../../sqlite/tables/trash.ts";
import { one, type PlannedWrite } from "../plan/planned-write.ts";

/** What was deleted and can be restored. */

export const trashQueries = {
  trash: "SELECT record FROM trash WHERE id < $1 ORDER BY id DESC LIMIT $2",
  trashEntry: "SELECT record FROM trash WHERE id = $1",
  trashed: "SELECT record FROM trash WHERE object_id = $1",
  dueTrash: "SELECT record FROM trash WHERE purge_at <= $1 ORDER BY purge_at, id LIMIT $2",
} as const;

// PostgreSQL takes one conflict clause: an object of another entry is excluded before.
const put = `INSERT INTO trash (id, object_id, purge_at, record)
  SELECT $1, $2, $3, $4 WHERE NOT EXISTS (SELECT 1 FROM trash WHERE object_id = $2 AND id <> $1)
  ON CONFLICT (id) DO UPDATE SET purge_at = $3, record = $4 WHERE trash.object_id = $2`;
const remove = "DELETE FROM trash WHERE id = $1";

const refused = async () => ({ code: "CONFLICT", stored: null }) as const;

export function planPutTrash(entry: TrashEntry): PlannedWrite {
  return { type: "put-trash", steps: [one(put, encodeTrash(entry))], refusal: refused };
}

export function planDeleteTrash(id: TrashId): PlannedWrite {
  return { type: "delete-trash", steps: [one(remove, [id])], refusal: refused };
}
