import { assert } from "../../../../core/base/assert.ts";
import type { ThreadId } from "../../../../core/base/ids.ts";
import { turnsIn, type Thread } from "../../../../core/block/comment/thread.ts";
import { encodeInteger, encodeJson } from "../../row/encode-json.ts";
import { isThread } from "../../row/json-guards.ts";
import { RowReader } from "../../row/row-reader.ts";
import type { Row, RowRefusal, Statements } from "../../row/sql.ts";

/** The threads of comments on documents. */

export const threadQueries = {
  threads: "SELECT record FROM threads WHERE block_id = ?1 ORDER BY created_at, id",
  thread: "SELECT record FROM threads WHERE id = ?1",
  threadsOfTurn: `SELECT record FROM threads
    WHERE id IN (SELECT thread_id FROM thread_turns WHERE turn_id = ?1) ORDER BY created_at, id`,
} as const;

const insert = `INSERT INTO threads (id, block_id, version, created_at, record)
  VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (id) DO NOTHING`;
const update = `UPDATE threads SET block_id = ?2, version = ?3, record = ?5
  WHERE id = ?1 AND version = ?3 - 1 AND created_at = ?4`;
const storedVersion = "SELECT version FROM threads WHERE id = ?1";
const noteTurns = `INSERT INTO thread_turns (turn_id, thread_id) SELECT value, ?1 FROM json_each(?2)
  WHERE true ON CONFLICT DO NOTHING`;
const deletes = ["DELETE FROM thread_turns WHERE thread_id = ?1", "DELETE FROM threads WHERE id = ?1"] as const;

export type ThreadRow = readonly [
  id: string,
  blockId: string,
  version: number,
  createdAt: number,
  record: string,
  turnIds: string,
];

export function encodeThread(thread: Thread): ThreadRow {
  return [
    thread.id,
    thread.blockId,
    encodeInteger(thread.version, "version"),
    encodeInteger(thread.createdAt, "createdAt"),
    encodeJson(thread, isThread, "thread"),
    JSON.stringify(turnsIn(thread)),
  ];
}

export function decodeThread(row: Row): Thread {
  return new RowReader("threads", row).json(isThread, "a thread");
}

export function applyPutThread(statements: Statements, row: ThreadRow): RowRefusal | null {
  const [id, blockId, version, createdAt, record, turnIds] = row;
  if (statements.run(version === 1 ? insert : update, [id, blockId, version, createdAt, record]) > 0) {
    if (turnIds !== "[]") statements.run(noteTurns, [id, turnIds]);
    return null;
  }
  const stored = statements.number(storedVersion, [id]);
  assert(stored !== version - 1, "a thread keeps its time");
  return { code: "CONFLICT", stored };
}

export function applyDeleteThread(statements: Statements, id: ThreadId): null {
  for (const sql of deletes) statements.run(sql, [id]);
  return null;
}
