import type { CanvasRevision, DraftRevision } from "../../../../core/block/canvas-revision.ts";
import type { RevisionText } from "../../../../core/block/change/revision-text.ts";
import type { StoreWrite } from "../../../../core/port/store.ts";
import { encodeDraftRevision, encodeRevision } from "../../sqlite/tables/revisions.ts";
import { any, type PlannedWrite } from "../plan/planned-write.ts";

/** The texts of committed revisions, whole or as changes of the text of another version. */

const columns = "canvas_id, version, revision_id, hash, actor, also_by, message_id, at";

export const revisionQueries = {
  revisionText: `WITH RECURSIVE steps (version, changes_version, text) AS (
      SELECT version, changes_version, text FROM revisions WHERE canvas_id = $1 AND version = $2
      UNION ALL
      SELECT r.version, r.changes_version, r.text FROM steps JOIN revisions r
        ON r.canvas_id = $1 AND r.version = steps.changes_version
    ) SELECT changes_version, text FROM steps ORDER BY version`,
  revisions: `SELECT ${columns} FROM revisions WHERE canvas_id = $1 AND version < $2 ORDER BY version DESC LIMIT $3`,
  draftRevisionText: `WITH RECURSIVE steps (draft_id, draft_version, changes_version, text) AS (
      SELECT draft_id, draft_version, changes_version, text FROM draft_revisions
        WHERE canvas_id = $1 AND draft_id = (
          SELECT draft_id FROM draft_revisions WHERE canvas_id = $1 AND revision_id = $2 LIMIT 1) AND revision_id = $2
      UNION ALL
      SELECT r.draft_id, r.draft_version, r.changes_version, r.text FROM steps JOIN draft_revisions r
        ON r.canvas_id = $1 AND r.draft_id = steps.draft_id AND r.draft_version = steps.changes_version
    ) SELECT changes_version, text FROM steps ORDER BY draft_version`,
  draftRevisions: `SELECT ${columns}, draft_id, draft_version FROM draft_revisions
    WHERE canvas_id = $1 AND draft_id = $2 AND draft_version < $3 ORDER BY draft_version DESC LIMIT $4`,
} as const;

// The types are explicit: nothing else in a SELECT declares its parameters' types.
const put = `INSERT INTO revisions (${columns}, text, changes_version)
  SELECT $1::text, $2::bigint, $3::text, $4::text, $5::text, $6::text, $7::text, $8::bigint, $9::text, $10::bigint
  WHERE NOT EXISTS (SELECT 1 FROM revisions WHERE canvas_id = $1 AND version >= $2)
    AND $4 IS DISTINCT FROM (SELECT hash FROM revisions WHERE canvas_id = $1 ORDER BY version DESC LIMIT 1)`;

const putOfDraft = `INSERT INTO draft_revisions (${columns}, text, changes_version, draft_id, draft_version)
  SELECT $1::text, $2::bigint, $3::text, $4::text, $5::text, $6::text, $7::text, $8::bigint, $9::text, $10::bigint,
    $11::text, $12::bigint
  WHERE NOT EXISTS (SELECT 1 FROM draft_revisions WHERE canvas_id = $1 AND draft_id = $11 AND draft_version >= $12)
    AND $4 IS DISTINCT FROM (
      SELECT hash FROM draft_revisions WHERE canvas_id = $1 AND draft_id = $11 ORDER BY draft_version DESC LIMIT 1)`;
const deleteOfDraft = "DELETE FROM draft_revisions WHERE canvas_id = $1 AND draft_id = $2";

export function planPutRevision(revision: CanvasRevision, text: RevisionText): PlannedWrite {
  return { type: "put-revision", steps: [any(put, encodeRevision(revision, text))] };
}

export function planPutDraftRevision(revision: DraftRevision, text: RevisionText): PlannedWrite {
  return { type: "put-draft-revision", steps: [any(putOfDraft, encodeDraftRevision(revision, text))] };
}

export function planDeleteDraftRevisions({
  type,
  canvasId,
  draftId,
}: Extract<StoreWrite, { readonly type: "delete-draft-revisions" }>): PlannedWrite {
  return { type, steps: [any(deleteOfDraft, [canvasId, draftId])] };
}
