import type { TrashId } from "../../../../core/base/ids.ts";
import { trashedId, type TrashEntry } from "../../../../core/forest/trash-entry.ts";
import type { TrashQuery } from "../../../../core/port/store.ts";
import { encodeInteger, encodeJson } from "../../row/encode-json.ts";
import { isTrashEntry } from "../../row/json-guards.ts";
import { RowReader } from "../../row/row-reader.ts";
import type { Row, RowRefusal, Statements } from "../../row/sql.ts";

/** What was deleted and can be restored. */

export const trashQueries = {
  trash: "SELECT record FROM trash WHERE id < ?1 ORDER BY id DESC LIMIT ?2",
  trashEntry: "SELECT record FROM trash WHERE id = ?1",
  trashed: "SELECT record FROM trash WHERE object_id = ?1",
  dueTrash: "SELECT record FROM trash WHERE purge_at <= ?1 ORDER BY purge_at, id LIMIT ?2",
} as const;

const put = `INSERT INTO trash (id, object_id, purge_at, record) VALUES (?1, ?2, ?3, ?4)
  ON CONFLICT (id) DO UPDATE SET purge_at = ?3, record = ?4 WHERE object_id = ?2
  ON CONFLICT (object_id) DO NOTHING`;
const remove = "DELETE FROM trash WHERE id = ?1";

export type TrashRow = readonly [id: string, objectId: string, purgeAt: number | null, record: string];

export function encodeTrash(entry: TrashEntry): TrashRow {
  return [
    entry.id,
    trashedId(entry.object),
    entry.purgeAt === null ? null : encodeInteger(entry.purgeAt, "purgeAt"),
    encodeJson(entry, isTrashEntry, "an entry of the trash"),
  ];
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
