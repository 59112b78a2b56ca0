import type { RequestRecord } from "../../../../core/port/store.ts";
import { encodeInteger } from "../../row/encode-json.ts";
import { encodeRequest } from "../../sqlite/tables/requests.ts";
import { any, one, type PlannedWrite } from "../plan/planned-write.ts";

/** Requests that took effect, with their answers. */

const columns = "client_id, request_id, params_hash, answer, conversation_id, at";

export const requestQueries = {
  request: `SELECT ${columns} FROM requests WHERE client_id = $1 AND request_id = $2`,
} as const;

const put = `INSERT INTO requests (${columns}) VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (client_id, request_id) DO NOTHING`;
const removeBefore = "DELETE FROM requests WHERE at < $1";

export function planPutRequest(request: RequestRecord): PlannedWrite {
  return {
    type: "put-request",
    steps: [one(put, encodeRequest(request))],
    refusal: async (sql) => {
      const taken = await sql.first(requestQueries.request, [request.clientId, request.requestId]);
      return taken === null ? null : { code: "CONFLICT", stored: null };
    },
  };
}

export function planDeleteRequests(before: number): PlannedWrite {
  return { type: "delete-requests", steps: [any(removeBefore, [encodeInteger(before, "before")])] };
}
