import type { CanvasRevision } from "../../../../core/block/canvas-revision.ts";
import type { RevisionText } from "../../../../core/block/change/revision-text.ts";
import { encodeRevision } from "../../sqlite/tables/revisions.ts";
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
} as const;

// The types are explicit: nothing else in a SELECT declares its parameters' types.
const put = `INSERT INTO revisions (${columns}, text, changes_version)
  SELECT $1::text, $2::bigint, $3::text, $4::text, $5::text, $6::text, $7::text, $8::bigint, $9::text, $10::bigint
  WHERE NOT EXISTS (SELECT 1 FROM revisions WHERE canvas_id = $1 AND version >= $2)
    AND $4 IS DISTINCT FROM (SELECT hash FROM revisions WHERE canvas_id = $1 ORDER BY version DESC LIMIT 1)`;

export function planPutRevision(revision: CanvasRevision, text: RevisionText): PlannedWrite {
  return { type: "put-revision", steps: [any(put, encodeRevision(revision, text))] };
}
