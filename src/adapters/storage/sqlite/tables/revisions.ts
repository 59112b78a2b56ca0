import type { CanvasRevision, DraftRevision } from "../../../../core/block/canvas-revision.ts";
import type { NodeId } from "../../../../core/base/ids.ts";
import { assert } from "../../../../core/base/assert.ts";
import { readRevision, type ReadRevisionText, type RevisionText } from "../../../../core/block/change/revision-text.ts";
import type { TextChange } from "../../../../core/text/types.ts";
import type { DraftRevisionQuery, RevisionQuery } from "../../../../core/port/store.ts";
import { encodeInteger, encodeJson } from "../../row/encode-json.ts";
import { isActor, isFlatChanges, isNames, type FlatChanges } from "../../row/json-guards.ts";
import { RowReader } from "../../row/row-reader.ts";
import type { Row, Statements } from "../../row/sql.ts";

/** The texts of committed revisions, whole or as changes of the text of another version. */

const columns = "canvas_id, version, revision_id, hash, actor, also_by, message_id, at";

export const revisionQueries = {
  revisionText: `WITH RECURSIVE steps (version, changes_version, text) AS (
      SELECT version, changes_version, text FROM revisions WHERE canvas_id = ?1 AND version = ?2
      UNION ALL
      SELECT r.version, r.changes_version, r.text FROM steps JOIN revisions r
        ON r.canvas_id = ?1 AND r.version = steps.changes_version
    ) SELECT changes_version, text FROM steps ORDER BY version`,
  revisions: `SELECT ${columns} FROM revisions WHERE canvas_id = ?1 AND version < ?2 ORDER BY version DESC LIMIT ?3`,
  draftRevisionText: `WITH RECURSIVE steps (draft_id, draft_version, changes_version, text) AS (
      SELECT draft_id, draft_version, changes_version, text FROM draft_revisions
        WHERE canvas_id = ?1 AND draft_id = (
          SELECT draft_id FROM draft_revisions WHERE canvas_id = ?1 AND revision_id = ?2 LIMIT 1) AND revision_id = ?2
      UNION ALL
      SELECT r.draft_id, r.draft_version, r.changes_version, r.text FROM steps JOIN draft_revisions r
        ON r.canvas_id = ?1 AND r.draft_id = steps.draft_id AND r.draft_version = steps.changes_version
    ) SELECT changes_version, text FROM steps ORDER BY draft_version`,
  draftRevisions: `SELECT ${columns}, draft_id, draft_version FROM draft_revisions
    WHERE canvas_id = ?1 AND draft_id = ?2 AND draft_version < ?3 ORDER BY draft_version DESC LIMIT ?4`,
} as const;

const put = `INSERT INTO revisions (${columns}, text, changes_version) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
  WHERE NOT EXISTS (SELECT 1 FROM revisions WHERE canvas_id = ?1 AND version >= ?2)
    AND ?4 IS NOT (SELECT hash FROM revisions WHERE canvas_id = ?1 ORDER BY version DESC LIMIT 1)`;

const putOfDraft = `INSERT INTO draft_revisions (${columns}, text, changes_version, draft_id, draft_version)
  SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12
  WHERE NOT EXISTS (SELECT 1 FROM draft_revisions WHERE canvas_id = ?1 AND draft_id = ?11 AND draft_version >= ?12)
    AND ?4 IS NOT (
      SELECT hash FROM draft_revisions WHERE canvas_id = ?1 AND draft_id = ?11 ORDER BY draft_version DESC LIMIT 1)`;
const deleteOfDraft = "DELETE FROM draft_revisions WHERE canvas_id = ?1 AND draft_id = ?2";

export type RevisionRow = readonly [
  canvasId: string,
  version: number,
  revisionId: string,
  hash: string,
  actor: string,
  alsoBy: string,
  messageId: string,
  at: number,
  /** Whole, or changes as JSON. */
  text: string,
  /** The version that the changes change; null for a whole text. */
  changesVersion: number | null,
];

export function encodeRevision(revision: CanvasRevision, text: RevisionText): RevisionRow {
  return [
    revision.canvasId,
    encodeInteger(revision.version, "version"),
    revision.revisionId,
    revision.hash,
    encodeJson(revision.actor, isActor, "actor"),
    encodeJson(revision.alsoBy, isNames, "names"),
    revision.nodeId ?? withoutMessage,
    encodeInteger(revision.at, "at"),
    ...(typeof text === "string"
      ? ([text, null] as const)
      : ([
          encodeJson(
            text.changes.flatMap(({ from, to, insert }) => [from, to, insert]),
            isFlatChanges,
            "changes",
          ),
          text.from,
        ] as const)),
  ];
}

export function encodeRevisionQuery({ canvasId, beforeVersion, limit }: RevisionQuery) {
  return [canvasId, beforeVersion ?? Number.MAX_SAFE_INTEGER, limit] as const;
}

export function decodeRevision(row: Row): CanvasRevision {
  const read = new RowReader("revisions", row);
  const named = {
    canvasId: read.text<CanvasRevision["canvasId"]>(),
    version: read.integer(),
    revisionId: read.text(),
    hash: read.text(),
    actor: read.json(isActor, "an actor"),
    alsoBy: read.json(isNames, "names"),
  };
  const messageId = read.text<NodeId>();
  return { ...named, nodeId: messageId === withoutMessage ? null : messageId, at: read.integer() };
}

/** Means no message: the column takes no null. */
const withoutMessage = "";

export function decodeRevisionText(row: Row): RevisionText {
  const read = new RowReader("revisions", row);
  const from = read.integerOrNull();
  if (from === null) return read.text();
  const flat = read.json(isFlatChanges, "changes");
  const changes = Array.from({ length: flat.length / 3 }, (_, index) => changeAt(flat, index * 3));
  return { from, changes };
}

/** Joins the rows of one text, oldest first; null where there are none, or they do not belong together. */
export function joinRevisionTexts([whole, ...rows]: readonly RevisionText[]): ReadRevisionText | null {
  if (typeof whole !== "string") return null;
  return readRevision(
    whole,
    rows.flatMap((row) => (typeof row === "string" ? [] : [row.changes])),
  );
}

function changeAt(flat: FlatChanges, index: number): TextChange {
  const [from, to, insert] = flat.slice(index, index + 3);
  assert(typeof from === "number" && typeof to === "number" && typeof insert === "string", "changes come in threes");
  return { from, to, insert };
}

export type DraftRevisionRow = readonly [...row: RevisionRow, draftId: string, draftVersion: number];

export type DraftRevisionsDeletedRow = readonly [canvasId: string, draftId: string];

export function encodeDraftRevision(revision: DraftRevision, text: RevisionText): DraftRevisionRow {
  return [...encodeRevision(revision, text), revision.draftId, encodeInteger(revision.draftVersion, "draftVersion")];
}

export function encodeDraftRevisionQuery({ canvasId, draftId, beforeVersion, limit }: DraftRevisionQuery) {
  return [canvasId, draftId, beforeVersion ?? Number.MAX_SAFE_INTEGER, limit] as const;
}

export function decodeDraftRevision(row: Row): DraftRevision {
  const read = new RowReader("draft_revisions", row.slice(-2));
  return { ...decodeRevision(row.slice(0, -2)), draftId: read.text(), draftVersion: read.integer() };
}

export function applyPutDraftRevision(statements: Statements, row: DraftRevisionRow): null {
  statements.run(putOfDraft, row);
  return null;
}

export function applyDeleteDraftRevisions(statements: Statements, row: DraftRevisionsDeletedRow): null {
  statements.run(deleteOfDraft, row);
  return null;
}

export function applyPutRevision(statements: Statements, row: RevisionRow): null {
  statements.run(put, row);
  return null;
}
