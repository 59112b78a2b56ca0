import type { ThreadId } from "../../../../core/base/ids.ts";
import type { Thread } from "../../../../core/block/comment/thread.ts";
import { encodeThread } from "../../sqlite/tables/threads.ts";
import { each } from "../plan/each.ts";
import { any, one, type PlannedWrite } from "../plan/planned-write.ts";

/** The threads of comments on documents. */

export const threadQueries = {
  threads: "SELECT record FROM threads WHERE block_id = $1 ORDER BY created_at, id",
  thread: "SELECT record FROM threads WHERE id = $1",
  threadsOfTurn: `SELECT t.record FROM thread_turns AS n, ${each("threads", "id = n.thread_id")} AS t
    WHERE n.turn_id = $1 ORDER BY t.created_at, t.id`,
} as const;

const insert = `INSERT INTO threads (id, block_id, version, created_at, record)
  VALUES ($1, $2, $3, $4, $5) ON CONFLICT (id) DO NOTHING`;
const update = `UPDATE threads SET block_id = $2, version = $3, record = $5
  WHERE id = $1 AND version = $3 - 1 AND created_at = $4`;
const storedVersion = "SELECT version FROM threads WHERE id = $1";
const noteTurns = `INSERT INTO thread_turns (turn_id, thread_id) SELECT value, $1 FROM json_array_elements_text($2::json)
  ON CONFLICT DO NOTHING`;
const deletes = ["DELETE FROM thread_turns WHERE thread_id = $1", "DELETE FROM threads WHERE id = $1"] as const;

export function planPutThread(thread: Thread): PlannedWrite {
  const { id, version } = thread;
  const [, blockId, , createdAt, record, turnIds] = encodeThread(thread);
  const turns = turnIds === "[]" ? [] : [any(noteTurns, [id, turnIds])];
  return {
    type: "put-thread",
    steps: [one(version === 1 ? insert : update, [id, blockId, version, createdAt, record]), ...turns],
    refusal: async (sql) => {
      const stored = await sql.number(storedVersion, [id]);
      return (stored ?? 0) === version - 1 ? null : { code: "CONFLICT", stored };
    },
    rule: "a thread keeps its time",
  };
}

export function planDeleteThread(id: ThreadId): PlannedWrite {
  return { type: "delete-thread", steps: deletes.map((sql) => any(sql, [id])) };
}
