import type { CanvasRevision } from "../../../../core/block/canvas-revision.ts";
import { encodeRevision } from "../../sqlite/tables/revisions.ts";
import { any, type PlannedWrite } from "../plan/planned-write.ts";

/** The texts of committed revisions. */

const columns = "canvas_id, version, revision_id, hash, actor, also_by, message_id, at";

export const revisionQueries = {
  revisionText: "SELECT text FROM revisions WHERE canvas_id = $1 AND version = $2",
  revisions: `SELECT ${columns} FROM revisions WHERE canvas_id = $1 AND version < $2 ORDER BY version DESC LIMIT $3`,
} as const;

// The types are explicit: nothing else in a SELECT declares its parameters' types.
const put = `INSERT INTO revisions (${columns}, text)
  SELECT $1::text, $2::bigint, $3::text, $4::text, $5::text, $6::text, $7::text, $8::bigint, $9::text
  WHERE NOT EXISTS (SELECT 1 FROM revisions WHERE canvas_id = $1 AND version >= $2)
    AND $4 IS DISTINCT FROM (SELECT hash FROM revisions WHERE canvas_id = $1 ORDER BY version DESC LIMIT 1)`;

export function planPutRevision(revision: CanvasRevision, text: string): PlannedWrite {
  return { type: "put-revision", steps: [any(put, encodeRevision(revision, text))] };
}
