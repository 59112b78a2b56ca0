import { assert, unreachable } from "../../../../core/base/assert.ts";
import { isJsonObject, type JsonObject } from "../../../../core/base/json.ts";
import {
  blockKinds,
  blockRoles,
  blockStatuses,
  editPolicies,
  type BlockChange,
  type BlockChangeBody,
  type BlockHeader,
} from "../../../../core/block/types.ts";
import type { SnapshotRecord } from "../../../../core/port/store.ts";
import { turnOfChange } from "../../turn-of-change.ts";
import { encodeBytes, encodeInteger, encodeLastingJson } from "../encode-json.ts";
import {
  isActor,
  isAgent,
  isBlockHeader,
  isHunkIds,
  isKeptHunks,
  isOpSpans,
  isTexts,
  isUndoUnit,
} from "../json-guards.ts";
import { RowReader } from "../row-reader.ts";
import type { Row, RowRefusal, Statements } from "../sql.ts";

/** Blocks: their header now, each mutation that led there, and the newest snapshot of their text. */

const headerColumns = `id, document_id, parent_id, role, kind, status, version, metadata, collapsed, excluded, policy,
  created_at, updated_at, deleted_at`;
const changeColumns = "b.id, b.document_id, c.version, c.actor, c.at, c.request_id, c.body, c.bytes";

export const blockQueries = {
  block: `SELECT ${headerColumns} FROM blocks WHERE id = ?1`,
  blocks: `SELECT ${headerColumns} FROM blocks WHERE document_id = ?1 ORDER BY place`,
  fileBlocks: `SELECT ${headerColumns} FROM blocks WHERE kind = 'file' ORDER BY place`,
  filesWithoutWords: `SELECT b.id FROM blocks AS b LEFT JOIN block_words AS w ON w.block_id = b.id
    WHERE b.kind = 'file' AND b.deleted_at IS NULL AND (w.version IS NULL OR w.version < b.version) ORDER BY b.place`,
  changes: `SELECT ${changeColumns} FROM blocks AS b CROSS JOIN changes AS c ON c.block_place = b.place
    WHERE b.id = ?1 AND c.version > ?2 ORDER BY c.version`,
  changesOfTurn: `SELECT ${changeColumns} FROM changes AS c CROSS JOIN blocks AS b ON b.place = c.block_place
    WHERE c.turn_id = ?1 ORDER BY c.place`,
  snapshot: "SELECT block_id, version, bytes FROM snapshots WHERE block_id = ?1",
  requestVersion: `SELECT c.version FROM blocks AS b CROSS JOIN changes AS c ON c.block_place = b.place
    WHERE b.id = ?1 AND c.request_id = ?2`,
} as const;

const insertHeader = `INSERT INTO blocks (${headerColumns})
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14) ON CONFLICT (id) DO NOTHING`;
// Columns of an index are compared, not set: setting them would rewrite the index with every keystroke.
const updateHeader = `UPDATE blocks SET parent_id = ?3, role = ?4, status = ?6, version = ?7, metadata = ?8, collapsed = ?9,
    excluded = ?10, policy = ?11, created_at = ?12, updated_at = ?13, deleted_at = ?14
  WHERE id = ?1 AND version = ?7 - 1 AND document_id = ?2 AND kind = ?5`;
const raiseVersion = `UPDATE blocks SET version = ?4, updated_at = ?5
  WHERE place = ?6 AND id = ?1 AND version = ?4 - 1 AND document_id = ?2 AND kind = ?3`;
const placeOfBlock = "SELECT place FROM blocks WHERE id = ?1";
const versionOfRequest = "SELECT version FROM changes WHERE block_place = ?1 AND request_id = ?2";
const storedVersion = "SELECT version FROM blocks WHERE id = ?1";
// A change names its block by a number: two ids of text in each row cost more than the rest of a keystroke.
const insertChange = `INSERT INTO changes (block_place, version, actor, at, request_id, body, bytes, turn_id)
  VALUES (?9, ?2, ?3, ?4, ?5, ?6, ?7, ?8)`;
const putSnapshot = `INSERT INTO snapshots (block_id, version, bytes) VALUES (?1, ?2, ?3)
  ON CONFLICT (block_id) DO UPDATE SET version = ?2, bytes = ?3 WHERE ?2 >= snapshots.version`;

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

/** What a change of text leaves behind in the header. */
export type VersionRow = readonly [id: string, documentId: string, kind: string, version: number, updatedAt: number];

export type ChangeRow = readonly [
  blockId: string,
  version: number,
  actor: string,
  at: number,
  requestId: string | null,
  body: string,
  bytes: Uint8Array | null,
  turnId: string | null,
];

export type SnapshotRow = readonly [blockId: string, version: number, bytes: Uint8Array];

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

export function encodeChange(change: BlockChange): ChangeRow {
  const { body, bytes } = encodeBody(change.what);
  return [
    change.blockId,
    encodeInteger(change.version, "version"),
    encodeLastingJson(change.actor, isActor, "actor"),
    encodeInteger(change.at, "at"),
    change.requestId ?? null,
    JSON.stringify(body),
    bytes,
    turnOfChange(change),
  ];
}

export function decodeChange(row: Row): BlockChange {
  const read = new RowReader("changes", row);
  const start = { blockId: read.text<BlockChange["blockId"]>(), documentId: read.text<BlockChange["documentId"]>() };
  const middle = { version: read.integer(), actor: read.json(isActor, "an actor"), at: read.integer() };
  const requestId = read.textOrNull<NonNullable<BlockChange["requestId"]>>();
  const what = decodeBody(read);
  return requestId === null ? { ...start, ...middle, what } : { ...start, ...middle, requestId, what };
}

/** The body as JSON, its update beside it as bytes. */
function encodeBody(what: BlockChangeBody): { readonly body: object; readonly bytes: Uint8Array | null } {
  switch (what.type) {
    case "created": {
      const { update, ...body } = what;
      assert(isBlockHeader(what.header) && isOpSpans(what.spans), "a created block's header and spans are well formed");
      return { body, bytes: encodeBytes(update) };
    }
    case "text": {
      const { update, ...body } = what;
      assert(isOpSpans(what.spans) && isUndoUnit(what.unit), "the spans and unit of a change are well formed");
      return { body, bytes: encodeBytes(update) };
    }
    case "review":
      assert(isUndoUnit(what.unit) && isTexts(what.hunkIds), "the unit and hunks of a review are well formed");
      return { body: what, bytes: null };
    case "status":
    case "policy":
    case "metadata":
    case "flags":
    case "deleted":
      return { body: what, bytes: null };
    default:
      return unreachable(what);
  }
}

function decodeBody(read: RowReader): BlockChangeBody {
  const body = read.jsonObject();
  const type: unknown = body["type"];
  switch (type) {
    case "created": {
      const { header, spans } = body;
      assert(isBlockHeader(header) && isOpSpans(spans), "a created block has a header and spans");
      return { type: "created", header, update: read.bytes(), spans };
    }
    case "text":
      return decodeTextBody(body, read.bytes());
    case "review":
      return decodeReview(body);
    case "status": {
      const status = blockStatuses.find((known) => known === body["status"]);
      assert(status !== undefined, "a change of status has a status");
      return { type: "status", status };
    }
    case "policy": {
      const policy = editPolicies.find((known) => known === body["policy"]);
      assert(policy !== undefined, "a change of policy has a policy");
      return { type: "policy", policy };
    }
    case "metadata": {
      const { metadata } = body;
      assert(isJsonObject(metadata), "a change of metadata has metadata");
      return { type: "metadata", metadata };
    }
    case "flags": {
      const { collapsed, excluded } = body;
      assert(typeof collapsed === "boolean" && typeof excluded === "boolean", "a change of flags has both");
      return { type: "flags", collapsed, excluded };
    }
    case "deleted":
      return { type: "deleted" };
    default:
      assert(false, "a change is of a known type");
  }
}

function decodeTextBody(body: JsonObject, update: Uint8Array): BlockChangeBody {
  const { spans, unit, undoes, redoes, appended, kept } = body;
  assert(isOpSpans(spans) && isUndoUnit(unit), "a change of text has spans and a unit");
  assert(undoes === undefined || isTexts(undoes), "undone units are texts");
  assert(redoes === undefined || isTexts(redoes), "redone units are texts");
  assert(kept === undefined || isKeptHunks(kept), "what was kept has its hunks and its author");
  assert(appended === undefined || typeof appended === "string", "appended text is text");
  return {
    type: "text",
    update,
    spans,
    unit,
    ...(undoes === undefined ? {} : { undoes }),
    ...(redoes === undefined ? {} : { redoes }),
    ...(appended === undefined ? {} : { appended }),
    ...(kept === undefined ? {} : { kept }),
  };
}

function decodeReview({ unit, hunkIds, reviewer, undoes, redoes }: JsonObject): BlockChangeBody {
  assert(isUndoUnit(unit) && isHunkIds(hunkIds) && isAgent(reviewer), "a review has a unit, hunks and a reviewer");
  assert(undoes === undefined || isTexts(undoes), "undone units are texts");
  assert(redoes === undefined || isTexts(redoes), "redone units are texts");
  return {
    type: "review",
    unit,
    hunkIds,
    reviewer,
    ...(undoes === undefined ? {} : { undoes }),
    ...(redoes === undefined ? {} : { redoes }),
  };
}

export function encodeSnapshot(snapshot: SnapshotRecord): SnapshotRow {
  return [snapshot.blockId, encodeInteger(snapshot.version, "version"), encodeBytes(snapshot.bytes)];
}

export function decodeSnapshot(row: Row): SnapshotRecord {
  const read = new RowReader("snapshots", row);
  return { blockId: read.text(), version: read.integer(), bytes: read.bytes() };
}

export function applyPutChange(statements: Statements, header: HeaderRow, change: ChangeRow): RowRefusal | null {
  const [blockId, version] = change;
  const stored = statements.number(placeOfBlock, [blockId]);
  const repeated = stored === null ? null : whyRepeated(statements, change, stored);
  if (repeated !== null) return repeated;
  if (statements.run(version === 1 ? insertHeader : updateHeader, header) === 0) return whyNotPut(statements, change);
  const place = stored ?? statements.number(placeOfBlock, [blockId]);
  statements.run(insertChange, [...change, place]);
  return null;
}

/** The same for a keystroke, by the place that the block is remembered to have. */
export function applyPutText(statements: Statements, header: VersionRow, change: ChangeRow): RowRefusal | null {
  const [blockId] = change;
  const { placesById } = statements;
  const known = placesById.get(blockId);
  const place = known ?? statements.number(placeOfBlock, [blockId]);
  if (place === null) return whyNotPut(statements, change);
  const repeated = whyRepeated(statements, change, place);
  if (repeated !== null) return repeated;
  if (statements.run(raiseVersion, [...header, place]) === 0) {
    if (known === undefined) return whyNotPut(statements, change);
    // A block whose making was rolled back may have come to another place since.
    placesById.delete(blockId);
    return applyPutText(statements, header, change);
  }
  if (placesById.size >= placesMax) placesById.clear();
  placesById.set(blockId, place);
  statements.run(insertChange, [...change, place]);
  return null;
}

/** So many blocks are typed in before those of long ago are asked for again. */
const placesMax = 10_000;

function whyRepeated(statements: Statements, change: ChangeRow, place: number): RowRefusal | null {
  const requestId = change[4];
  const version = requestId === null ? null : statements.number(versionOfRequest, [place, requestId]);
  return version === null ? null : { code: "DUPLICATE_REQUEST", version };
}

function whyNotPut(statements: Statements, [blockId, version]: ChangeRow): RowRefusal {
  const stored = statements.number(storedVersion, [blockId]);
  assert(stored !== version - 1, "a block keeps its document and its kind");
  return { code: "CONFLICT", stored };
}

export function applyPutSnapshot(statements: Statements, row: SnapshotRow): null {
  statements.run(putSnapshot, row);
  return null;
}
