import type { RunEventRecord } from "../../../../core/turn/event/run-event.ts";
import { encodeRunEvent } from "../../sqlite/tables/run-events.ts";
import { one, type PlannedWrite } from "../plan/planned-write.ts";

/** The events that each turn machine accepted, for replay. */

const columns = "run_id, seq, at, event, state, state_hash";

export const runEventQueries = {
  runEvents: `SELECT ${columns} FROM run_events WHERE run_id = $1 ORDER BY seq`,
} as const;

const insert = `INSERT INTO run_events (${columns}) VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (run_id, seq) DO UPDATE SET at = $3, event = $4, state = $5, state_hash = $6`;

export function planPutRunEvent(record: RunEventRecord): PlannedWrite {
  return { type: "put-run-event", steps: [one(insert, encodeRunEvent(record))] };
}
