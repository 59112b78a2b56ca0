import { folderRights, type Folder } from "../../../../core/base/folder.ts";
import { encodeInteger } from "../../row/encode-json.ts";
import { RowReader } from "../../row/row-reader.ts";
import type { Row, Statements } from "../../row/sql.ts";

/** Folders of this machine that conversations can work in. */

const columns = "id, name, path, rights, branch, trusted, created_at, removed_at";

export const folderQueries = {
  folders: `SELECT ${columns} FROM folders ORDER BY place`,
} as const;

const put = `INSERT INTO folders (${columns}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
  ON CONFLICT (id) DO UPDATE SET name = ?2, path = ?3, rights = ?4, branch = ?5, trusted = ?6, created_at = ?7,
    removed_at = ?8`;

export type FolderRow = readonly [
  id: string,
  name: string,
  path: string,
  rights: string,
  branch: string | null,
  trusted: number | null,
  createdAt: number,
  removedAt: number | null,
];

export function encodeFolder(folder: Folder): FolderRow {
  return [
    folder.id,
    folder.name,
    folder.path,
    folder.rights,
    folder.branch,
    folder.trusted === null ? null : folder.trusted ? 1 : 0,
    encodeInteger(folder.createdAt, "createdAt"),
    folder.removedAt === null ? null : encodeInteger(folder.removedAt, "removedAt"),
  ];
}

export function decodeFolder(row: Row): Folder {
  const read = new RowReader("folders", row);
  const folder = {
    id: read.text<Folder["id"]>(),
    name: read.text(),
    path: read.text(),
    rights: read.oneOf(folderRights),
    branch: read.textOrNull(),
  };
  const trusted = read.integerOrNull();
  return {
    ...folder,
    trusted: trusted === null ? null : trusted === 1,
    createdAt: read.integer(),
    removedAt: read.integerOrNull(),
  };
}

export function applyPutFolder(statements: Statements, row: FolderRow): null {
  statements.run(put, row);
  return null;
}
