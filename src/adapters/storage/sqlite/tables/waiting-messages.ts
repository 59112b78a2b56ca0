import type { WaitingMessage } from "../../../../core/turn/state/waiting.ts";
import { encodeInteger, encodeJson } from "../../row/encode-json.ts";
import { isWaitingContent } from "../../row/json-guards.ts";
import { RowReader } from "../../row/row-reader.ts";
import type { Row, Statements } from "../../row/sql.ts";

/** The messages that wait for a run. */

export const waitingQueries = {
  waiting: "SELECT id, run_id, place, record FROM waiting_messages WHERE run_id = ?1 ORDER BY place, id",
} as const;

const put = `INSERT INTO waiting_messages (id, run_id, place, record) VALUES (?1, ?2, ?3, ?4)
  ON CONFLICT (id) DO UPDATE SET run_id = ?2, place = ?3, record = ?4`;
const remove = "DELETE FROM waiting_messages WHERE id = ?1";

export type WaitingRow = readonly [id: string, runId: string, place: number, record: string];

export function encodeWaiting({ id, runId, place, ...record }: WaitingMessage): WaitingRow {
  return [id, runId, encodeInteger(place, "place"), encodeJson(record, isWaitingContent, "waiting message")];
}

export function decodeWaiting(row: Row): WaitingMessage {
  const read = new RowReader("waiting_messages", row);
  const columns = { id: read.text(), runId: read.text(), place: read.integer() } satisfies Partial<WaitingMessage>;
  return { ...columns, ...read.json(isWaitingContent, "a waiting message") };
}

export function applyPutWaiting(statements: Statements, row: WaitingRow): null {
  statements.run(put, row);
  return null;
}

export function applyDeleteWaiting(statements: Statements, id: string): null {
  statements.run(remove, [id]);
  return null;
}
