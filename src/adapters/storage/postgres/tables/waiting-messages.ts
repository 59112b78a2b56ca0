import type { WaitingMessage } from "../../../../core/turn/state/waiting.ts";
import { encodeWaiting } from "../../sqlite/tables/waiting-messages.ts";
import { any, one, type PlannedWrite } from "../plan/planned-write.ts";

/** The messages that wait for a run. */

export const waitingQueries = {
  waiting: "SELECT id, run_id, place, record FROM waiting_messages WHERE run_id = $1 ORDER BY place, id",
} as const;

const put = `INSERT INTO waiting_messages (id, run_id, place, record) VALUES ($1, $2, $3, $4)
  ON CONFLICT (id) DO UPDATE SET run_id = $2, place = $3, record = $4`;
const remove = "DELETE FROM waiting_messages WHERE id = $1";

export function planPutWaiting(waiting: WaitingMessage): PlannedWrite {
  return { type: "put-waiting", steps: [one(put, encodeWaiting(waiting))] };
}

export function planDeleteWaiting(id: string): PlannedWrite {
  return { type: "delete-waiting", steps: [any(remove, [id])] };
}
