import { assert, must } from "../../../../core/base/assert.ts";
import { isJsonObject } from "../../../../core/base/json.ts";
import { blockKinds } from "../../../../core/block/kinds.ts";
import { blockRoles, blockStatuses, editPolicies, type BlockHeader } from "../../../../core/block/types.ts";
import { encodeInteger, encodeLastingJson } from "../../row/encode-json.ts";
import { RowReader } from "../../row/row-reader.ts";
import type { Row, RowRefusal, Statements } from "../../row/sql.ts";
import type { ChangeRow } from "./change-row.ts";
import { putLogged, versionOfRequest } from "./changes.ts";

/** Blocks: their current header. */

const headerColumns = `id, document_id, parent_id, role, kind, status, version, metadata, collapsed, excluded, policy,
  created_at, updated_at, deleted_at`;

export const blockQueries = {
  block: `SELECT ${headerColumns} FROM blocks WHERE id = ?1`,
  blocks: `SELECT ${headerColumns} FROM blocks WHERE document_id = ?1 ORDER BY place`,
  fileBlocks: `SELECT ${headerColumns} FROM blocks WHERE kind = 'file' ORDER BY place`,
  filesWithoutWords: `SELECT b.id FROM blocks AS b LEFT JOIN block_words AS w ON w.block_id = b.id
    WHERE b.kind = 'file' AND b.deleted_at IS NULL AND (w.version IS NULL OR w.version < b.version) ORDER BY b.place`,
  indexedTexts: "SELECT block_id, version, words FROM block_words WHERE block_id IN (SELECT value FROM json_each(?1))",
} as const;

/** The list, row by row where a page is damaged: the keys come from an index. */
export const blocksOneByOne = {
  fileBlocks: {
    keys: "SELECT place FROM blocks INDEXED BY blocks_of_files WHERE kind = 'file' ORDER BY place",
    one: `SELECT ${headerColumns} FROM blocks WHERE place = ?1`,
  },
} as const;

const insertHeader = `INSERT INTO blocks (${headerColumns})
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14) ON CONFLICT (id) DO NOTHING`;
// Indexed columns are compared, not set: setting them would rewrite the index with every keystroke.
const updateHeader = `UPDATE blocks SET parent_id = ?3, role = ?4, status = ?6, version = ?7, metadata = ?8, collapsed = ?9,
    excluded = ?10, policy = ?11, created_at = ?12, updated_at = ?13, deleted_at = ?14
  WHERE id = ?1 AND version = ?7 - 1 AND document_id = ?2 AND kind = ?5`;
const raiseVersion = `UPDATE blocks SET version = ?4, updated_at = ?5
  WHERE place = ?6 AND id = ?1 AND version = ?4 - 1 AND document_id = ?2 AND kind = ?3`;
const placeOfBlock = "SELECT place FROM blocks WHERE id = ?1";
const storedVersion = "SELECT version FROM blocks WHERE id = ?1";

export type HeaderRow = readonly [
  id: string,
  documentId: string,
  parentId: string | null,
  role: string,
  kind: string,
  status: string,
  version: number,
  metadata: string,
  collapsed: number,
  excluded: number,
  policy: string | null,
  createdAt: number,
  updatedAt: number,
  deletedAt: number | null,
];

/** The header columns that a change of text sets. */
export type VersionRow = readonly [id: string, documentId: string, kind: string, version: number, updatedAt: number];

export function encodeHeader(header: BlockHeader): HeaderRow {
  return [
    header.id,
    header.documentId,
    header.parentId,
    header.role,
    header.kind,
    header.status,
    encodeInteger(header.version, "version"),
    encodeLastingJson(header.metadata, isJsonObject, "metadata"),
    header.collapsed ? 1 : 0,
    header.excluded ? 1 : 0,
    header.policy ?? null,
    encodeInteger(header.createdAt, "createdAt"),
    encodeInteger(header.updatedAt, "updatedAt"),
    header.deletedAt === undefined ? null : encodeInteger(header.deletedAt, "deletedAt"),
  ];
}

export function encodeVersion(header: BlockHeader): VersionRow {
  const { id, documentId, kind, version, updatedAt } = header;
  return [id, documentId, kind, encodeInteger(version, "version"), encodeInteger(updatedAt, "updatedAt")];
}

export function decodeHeader(row: Row): BlockHeader {
  const read = new RowReader("blocks", row);
  const header = {
    id: read.text<BlockHeader["id"]>(),
    documentId: read.text<BlockHeader["documentId"]>(),
    parentId: read.textOrNull<BlockHeader["id"]>(),
    role: read.oneOf(blockRoles),
    kind: read.oneOf(blockKinds),
    status: read.oneOf(blockStatuses),
    version: read.integer(),
    metadata: read.jsonObject(),
    collapsed: read.flag(),
    excluded: read.flag(),
  };
  const policy = read.oneOfOrNull(editPolicies);
  const times = { createdAt: read.integer(), updatedAt: read.integer() };
  const deletedAt = read.integerOrNull();
  return {
    ...header,
    ...(policy === null ? {} : { policy }),
    ...times,
    ...(deletedAt === null ? {} : { deletedAt }),
  };
}

export function applyPutChange(statements: Statements, header: HeaderRow, change: ChangeRow): RowRefusal | null {
  const [blockId, version] = change;
  const stored = statements.number(placeOfBlock, [blockId]);
  const repeated = stored === null ? null : repeatedRequest(statements, change, stored);
  if (repeated !== null) return repeated;
  if (statements.run(version === 1 ? insertHeader : updateHeader, header) === 0)
    return refusalOfPut(statements, change);
  const place = stored ?? must(statements.number(placeOfBlock, [blockId]), "a block that was put has a place");
  putLogged(statements, place, change);
  return null;
}

/** Stores a keystroke, by the block's cached place. */
export function applyPutText(statements: Statements, header: VersionRow, change: ChangeRow): RowRefusal | null {
  const [blockId] = change;
  const { placesById } = statements;
  const known = placesById.get(blockId);
  const place = known ?? statements.number(placeOfBlock, [blockId]);
  if (place === null) return refusalOfPut(statements, change);
  const repeated = repeatedRequest(statements, change, place);
  if (repeated !== null) return repeated;
  if (statements.run(raiseVersion, [...header, place]) === 0) {
    if (known === undefined) return refusalOfPut(statements, change);
    // A block whose creation was rolled back may have another place by now.
    placesById.delete(blockId);
    return applyPutText(statements, header, change);
  }
  if (placesById.size >= placesMax) placesById.clear();
  placesById.set(blockId, place);
  putLogged(statements, place, change);
  return null;
}

/** Blocks whose places are cached; older entries are read again. */
const placesMax = 10_000;

function repeatedRequest(statements: Statements, change: ChangeRow, place: number): RowRefusal | null {
  const requestId = change[4];
  const version = requestId === null ? null : versionOfRequest(statements, place, requestId);
  return version === null ? null : { code: "DUPLICATE_REQUEST", version };
}

function refusalOfPut(statements: Statements, [blockId, version]: ChangeRow): RowRefusal {
  const stored = statements.number(storedVersion, [blockId]);
  assert(stored !== version - 1, "a block keeps its document and its kind");
  return { code: "CONFLICT", stored };
}
