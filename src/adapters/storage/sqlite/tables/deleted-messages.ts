import { assert } from "../../../../core/base/assert.ts";
import type { Row, RowRefusal, Statements } from "../../row/sql.ts";

/** Ids of deleted nodes, so that none is accepted again. The ids of one deletion are a JSON array, `?1`. */

const going = "json_each(?1) AS g CROSS JOIN messages AS m ON m.id = g.value";
const isDeletion = "IN (SELECT value FROM json_each(?1))";

const foreign = `SELECT 1 FROM ${going} WHERE m.conversation_id <> ?2 LIMIT 1`;
const staysBelow = `SELECT 1 FROM ${going} CROSS JOIN messages AS below ON below.parent_id = m.id
  WHERE below.id NOT ${isDeletion} LIMIT 1`;
const runsThere = `SELECT r.id, r.head_message_id, r.state IN ('idle', 'error', 'context-exhausted', 'completed', 'failed') FROM runs AS r
  WHERE r.conversation_id = ?2 AND r.head_message_id ${isDeletion}
    AND EXISTS (SELECT 1 FROM messages WHERE id = r.head_message_id)`;
const nearestThatStays = `WITH RECURSIVE up (id, depth) AS (
    SELECT ?2, 0
    UNION ALL
    SELECT m.parent_id, up.depth + 1 FROM up CROSS JOIN messages AS m ON m.id = up.id WHERE up.id ${isDeletion})
  SELECT id FROM up ORDER BY depth DESC LIMIT 1`;
const moveHead = "UPDATE runs SET head_message_id = ?2 WHERE id = ?1";
const dropWords = `DELETE FROM message_index WHERE rowid IN (SELECT m.place FROM ${going})`;
const remember = `INSERT INTO deleted_messages (id, conversation_id, deleted_at)
  SELECT m.id, ?2, ?3 FROM ${going} WHERE true ON CONFLICT (id) DO NOTHING`;
// One statement, so that parents and children are deleted together; foreign keys delete bookmarks.
const remove = `DELETE FROM messages WHERE id ${isDeletion}`;

interface Deletion {
  readonly rootId: string;
  readonly ids: readonly string[];
  readonly at: number;
}

export function applyDeleteNodes(statements: Statements, { rootId, ids, at }: Deletion): RowRefusal | null {
  const list = JSON.stringify(ids);
  assert(statements.number(foreign, [list, rootId]) === null, "deleted messages are of the conversation that is named");
  const runs: readonly Row[] = statements.all(runsThere, [list, rootId]);
  const isInUse = runs.some(([, , isSettled]) => isSettled !== 1);
  if (isInUse || statements.number(staysBelow, [list]) !== null) return { code: "CONFLICT", stored: null };
  for (const [run = null, head = null] of runs) {
    const [stays = null] = statements.all(nearestThatStays, [list, head])[0] ?? [];
    statements.run(moveHead, [run, stays]);
  }
  statements.run(dropWords, [list]);
  statements.run(remember, [list, rootId, at]);
  statements.run(remove, [list]);
  return null;
}
