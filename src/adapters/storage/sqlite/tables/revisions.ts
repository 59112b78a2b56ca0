import type { CanvasRevision } from "../../../../core/block/canvas-revision.ts";
import type { NodeId } from "../../../../core/base/ids.ts";
import { assert } from "../../../../core/base/assert.ts";
import { readRevision, type ReadRevisionText, type RevisionText } from "../../../../core/block/change/revision-text.ts";
import type { TextChange } from "../../../../core/text/types.ts";
import type { RevisionQuery } from "../../../../core/port/store.ts";
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
} as const;

const put = `INSERT INTO revisions (${columns}, text, changes_version) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
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

export function applyPutRevision(statements: Statements, row: RevisionRow): null {
  statements.run(put, row);
  return null;
}
