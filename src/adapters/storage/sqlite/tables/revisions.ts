import type { CanvasRevision } from "../../../../core/block/canvas-revision.ts";
import type { RevisionQuery } from "../../../../core/port/store.ts";
import { encodeInteger, encodeJson } from "../../row/encode-json.ts";
import { isActor, isNames } from "../../row/json-guards.ts";
import { RowReader } from "../../row/row-reader.ts";
import type { Row, Statements } from "../../row/sql.ts";

/** The texts of committed revisions. */

const columns = "canvas_id, version, revision_id, hash, actor, also_by, message_id, at";

export const revisionQueries = {
  revisionText: "SELECT text FROM revisions WHERE canvas_id = ?1 AND version = ?2",
  revisions: `SELECT ${columns} FROM revisions WHERE canvas_id = ?1 AND version < ?2 ORDER BY version DESC LIMIT ?3`,
} as const;

const put = `INSERT INTO revisions (${columns}, text) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9
  WHERE NOT EXISTS (SELECT 1 FROM revisions WHERE canvas_id = ?1 AND version >= ?2)
    AND ?4 IS NOT (SELECT hash FROM revisions WHERE canvas_id = ?1 ORDER BY version DESC LIMIT 1)`;

export type RevisionRow = readonly [
  canvasId: string,
  version: number,
  revisionId: string,
  hash: string,
  actor: string,
  alsoBy: string,
  messageId: string,
  at: number,
  text: string,
];

export function encodeRevision(revision: CanvasRevision, text: string): RevisionRow {
  return [
    revision.canvasId,
    encodeInteger(revision.version, "version"),
    revision.revisionId,
    revision.hash,
    encodeJson(revision.actor, isActor, "actor"),
    encodeJson(revision.alsoBy, isNames, "names"),
    revision.nodeId,
    encodeInteger(revision.at, "at"),
    text,
  ];
}

export function encodeRevisionQuery({ canvasId, beforeVersion, limit }: RevisionQuery) {
  return [canvasId, beforeVersion ?? Number.MAX_SAFE_INTEGER, limit] as const;
}

export function decodeRevision(row: Row): CanvasRevision {
  const read = new RowReader("revisions", row);
  return {
    canvasId: read.text<CanvasRevision["canvasId"]>(),
    version: read.integer(),
    revisionId: read.text(),
    hash: read.text(),
    actor: read.json(isActor, "an actor"),
    alsoBy: read.json(isNames, "names"),
    nodeId: read.text<CanvasRevision["nodeId"]>(),
    at: read.integer(),
  };
}

export function decodeRevisionText(row: Row): string {
  return new RowReader("revisions", row).text();
}

export function applyPutRevision(statements: Statements, row: RevisionRow): null {
  statements.run(put, row);
  return null;
}
