import type { RequestId, RootId } from "../../../../core/base/ids.ts";
import { isJsonObject } from "../../../../core/base/json.ts";
import type { RequestRecord } from "../../../../core/port/store.ts";
import { encodeInteger, encodeJson } from "../../row/encode-json.ts";
import { RowReader } from "../../row/row-reader.ts";
import type { Row, RowRefusal, Statements } from "../../row/sql.ts";

/** Requests that took effect, with their answers. */

const columns = "client_id, request_id, params_hash, answer, conversation_id, at";

export const requestQueries = {
  request: `SELECT ${columns} FROM requests WHERE client_id = ?1 AND request_id = ?2`,
} as const;

const put = `INSERT INTO requests (${columns}) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
  ON CONFLICT (client_id, request_id) DO NOTHING`;
const removeBefore = "DELETE FROM requests WHERE at < ?1";

export type RequestRow = readonly [
  clientId: string,
  requestId: string,
  paramsHash: string,
  answer: string,
  conversationId: string | null,
  at: number,
];

export function encodeRequest(request: RequestRecord): RequestRow {
  return [
    request.clientId,
    request.requestId,
    request.paramsHash,
    encodeJson(request.answer, isJsonObject, "the answer of a request"),
    request.rootId,
    encodeInteger(request.at, "at"),
  ];
}

export function decodeRequest(row: Row): RequestRecord {
  const read = new RowReader("requests", row);
  return {
    clientId: read.text(),
    requestId: read.text<RequestId>(),
    paramsHash: read.text(),
    answer: read.jsonObject(),
    rootId: read.textOrNull<RootId>(),
    at: read.integer(),
  };
}

export function applyPutRequest(statements: Statements, row: RequestRow): RowRefusal | null {
  return statements.run(put, row) === 1 ? null : { code: "CONFLICT", stored: null };
}

export function applyDeleteRequests(statements: Statements, before: number): null {
  statements.run(removeBefore, [before]);
  return null;
}
