import type { Folder } from "../../../../core/base/folder.ts";
import { encodeFolder } from "../../sqlite/tables/folders.ts";
import { one, type PlannedWrite } from "../plan/planned-write.ts";

/** Folders of this machine that conversations can work in. */

const columns = "id, name, path, rights, branch, trusted, created_at, removed_at";

export const folderQueries = {
  folders: `SELECT ${columns} FROM folders ORDER BY place`,
} as const;

const put = `INSERT INTO folders (${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
  ON CONFLICT (id) DO UPDATE SET name = $2, path = $3, rights = $4, branch = $5, trusted = $6, created_at = $7,
    removed_at = $8`;

export function planPutFolder(folder: Folder): PlannedWrite {
  return { type: "put-folder", steps: [one(put, encodeFolder(folder))] };
}
