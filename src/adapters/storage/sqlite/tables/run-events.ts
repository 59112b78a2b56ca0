import { isKeptEvent, type RunEventRecord } from "../../../../core/turn/event/run-event.ts";
import { encodeInteger, encodeJson } from "../../row/encode-json.ts";
import { RowReader } from "../../row/row-reader.ts";
import type { Row, Statements } from "../../row/sql.ts";

/** The events that each turn machine accepted, for replay. */

const columns = "run_id, seq, at, event, state, state_hash";

export const runEventQueries = {
  runEvents: `SELECT ${columns} FROM run_events WHERE run_id = ?1 ORDER BY seq`,
} as const;

const insert = `INSERT INTO run_events (${columns}) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
  ON CONFLICT (run_id, seq) DO UPDATE SET at = ?3, event = ?4, state = ?5, state_hash = ?6`;

export type RunEventRow = readonly [
  runId: string,
  seq: number,
  at: number,
  event: string,
  state: string,
  stateHash: string,
];

export function encodeRunEvent({ runId, seq, at, event, state }: RunEventRecord): RunEventRow {
  return [
    runId,
    encodeInteger(seq, "seq"),
    encodeInteger(at, "at"),
    encodeJson(event, isKeptEvent, "event"),
    state.type,
    state.hash,
  ];
}

export function decodeRunEvent(row: Row): RunEventRecord {
  const read = new RowReader("run_events", row);
  return {
    runId: read.text(),
    seq: read.integer(),
    at: read.integer(),
    event: read.json(isKeptEvent, "an event"),
    state: { type: read.text(), hash: read.text() },
  };
}

export function applyPutRunEvent(statements: Statements, row: RunEventRow): null {
  statements.run(insert, row);
  return null;
}
