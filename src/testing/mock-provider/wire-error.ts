import type { JsonObject } from "../../core/base/json.ts";

/** An error as a provider answers it. */
export interface WireError {
  readonly status: number;
  readonly body: JsonObject;
}

/** An error of the Messages API. */
export function anthropicError(status: number, type: string, message: string): WireError {
  return { status, body: { type: "error", error: { type, message }, request_id: "req_mock" } };
}

/** An error of OpenAI's APIs, Chat Completions and Responses alike. */
export function chatError(
  status: number,
  message: string,
  facts: { readonly type?: string; readonly code?: string | null; readonly param?: string | null } = {},
): WireError {
  const { type = "invalid_request_error", code = null, param = null } = facts;
  return { status, body: { error: { message, type, param, code } } };
}

/** An error of the generateContent API. */
export function geminiError(code: number, status: string, message: string, reason?: string): WireError {
  const details = reason === undefined ? {} : { details: [{ reason }] };
  return { status: code, body: { error: { code, message, status, ...details } } };
}

/** An error of the Interactions API. */
export function interactionsError(status: number, code: string, message: string): WireError {
  return { status, body: { error: { message, code } } };
}
