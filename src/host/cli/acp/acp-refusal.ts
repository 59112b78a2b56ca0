import { RequestError } from "../../../adapters/acp/acp-package.ts";
import { errorTable, type ErrorCode, type Refusal } from "../../../core/base/errors.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";

/** Codes that the protocol has a number of its own for; every other refusal is -32603 with its code in `data`. */
const numbers: Partial<Readonly<Record<ErrorCode, number>>> = {
  UNAUTHENTICATED: -32000,
  ROOT_NOT_FOUND: -32002,
  NODE_NOT_FOUND: -32002,
  BLOCK_NOT_FOUND: -32002,
  FILE_NOT_FOUND: -32002,
  FOLDER_NOT_FOUND: -32002,
  NOT_FOUND: -32002,
  IN_TRASH: -32002,
  INVALID_PARAMS: -32602,
  MODEL_NOT_FOUND: -32602,
  MEDIA_TYPE_REFUSED: -32602,
  UNKNOWN_METHOD: -32601,
};

/** Returns a refusal as the protocol's error: -32000 only for a missing token, because it makes editors ask for a login. */
export function requestError({ code, message, details }: Refusal): RequestError {
  const { retryable } = errorTable[code];
  const data = { code, retryable, ...(details === undefined ? {} : { details }) };
  return new RequestError(numbers[code] ?? -32603, message, data);
}

/** Returns the value of a result, or throws its refusal as the protocol's error. */
export function valueOf<Value>(result: Result<Value, Refusal>): Value {
  if (result.ok) return result.value;
  throw requestError(result.error);
}

/** Refuses the parameters of a method, naming the wrong one. */
export function wrongParams(path: string, message: string): RequestError {
  return new RequestError(-32602, message, { path });
}

/** The refusal of a missing session. */
export function noSession(sessionId: string): RequestError {
  const message = "No session has this id here. List the sessions, or begin a new one.";
  return new RequestError(-32002, message, { sessionId });
}

/** Reads a page's cursor, which the door made; a changed one is refused. */
export function readCursor(cursor: string): Result<{ readonly at: number; readonly id: string }, RequestError> {
  const [at, id, ...more] = Buffer.from(cursor, "base64url").toString("utf8").split(" ");
  const isWhole = at !== undefined && /^\d{1,15}$/u.test(at) && id !== undefined && id !== "" && more.length === 0;
  if (!isWhole || writeCursor({ at: Number(at), id }) !== cursor) {
    return err(wrongParams("cursor", "This cursor is not one that the list gave. List from the beginning."));
  }
  return ok({ at: Number(at), id });
}

export function writeCursor({ at, id }: { readonly at: number; readonly id: string }): string {
  return Buffer.from(`${at} ${id}`, "utf8").toString("base64url");
}
