import { errorCodeOf } from "../../core/base/error-code.ts";
import { reasonOf } from "../../core/base/reason.ts";
import type { ToolServerFailure } from "../../core/port/tool-server.ts";
import { TooLarge } from "./bounded-fetch.ts";
import {
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from "./client-package.ts";

/** Longest part of a server's error message that is repeated, in UTF-16 units. */
const wordsMax = 500;

/** Converts anything thrown into a tool server's failure. */
export function failureOf(problem: unknown): ToolServerFailure {
  const cause = rootOf(problem);
  for (const each of [problem, cause]) {
    if (each instanceof InsufficientScopeError) {
      const rights = each.requiredScope === undefined ? "" : ` (${each.requiredScope})`;
      const words = `it wants more rights than the sign-in there has${rights}; a person can sign in again in Heddle's settings`;
      return failure("refused", words, false);
    }
    if (each instanceof ProtocolError) return failure("refused", `it answered: ${each.message} (${each.code})`, false);
    if (each instanceof SdkHttpError) return httpFailure(each);
    if (each instanceof UnauthorizedError) return failure("not-let-in", "the sign-in there has ended", false);
    if (!(each instanceof SdkError)) continue;
    if (each.code === SdkErrorCode.ConnectionClosed || each.code === SdkErrorCode.NotConnected)
      return failure("closed", "it closed the connection", true);
    if (each.code === SdkErrorCode.InvalidResult || each.code === SdkErrorCode.ClientHttpUnexpectedContent)
      return failure("garbled", `its answer does not follow the protocol: ${each.message}`, true);
  }
  if (cause instanceof TooLarge) return failure("too-large", cause.message, true);
  const type = errorCodeOf(cause) === "ENOENT" ? "no-program" : "unreachable";
  return failure(type, wordsOf(cause), !isLasting(cause));
}

export function failure(type: ToolServerFailure["type"], message: string, retryable: boolean): ToolServerFailure {
  const words = message.toWellFormed();
  return { type, message: words.length > wordsMax ? `${words.slice(0, wordsMax).toWellFormed()}…` : words, retryable };
}

function httpFailure({ status, message }: SdkHttpError): ToolServerFailure {
  if (status === 401 || status === 403)
    return failure("not-let-in", `it rejected the credentials in its headers (${status})`, false);
  if (status >= 300 && status < 400) return failure("unreachable", message, false);
  // A server answers 404 when it has forgotten the session or never had it.
  if (status === 404) return failure("not-found", "its address does not exist, or it forgot the session (404)", true);
  return failure("garbled", `it answered with status ${status}`, status === 408 || status === 429 || status >= 500);
}

/** Whether the failure will repeat: a missing program or unknown host does not appear by itself. */
function isLasting(problem: unknown): boolean {
  return ["ENOENT", "EACCES", "ENOTDIR", "EISDIR", "E2BIG", "ERR_INVALID_ARG_VALUE"].includes(
    errorCodeOf(problem) ?? "",
  );
}

function wordsOf(problem: unknown): string {
  switch (errorCodeOf(problem)) {
    case "ENOENT":
      return "the program, or the folder to start it in, does not exist";
    case "EACCES":
      return "permission to start the program was denied";
    case "ECONNREFUSED":
      return "nothing listens at its address";
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return "its host name cannot be resolved";
    case undefined:
    default:
      return reasonOf(problem);
  }
}

/** The innermost cause, below the wrappers of `fetch` and the client. */
function rootOf(problem: unknown): unknown {
  let at = problem;
  for (let depth = 0; depth < 5 && at instanceof Error && at.cause !== undefined; depth += 1) at = at.cause;
  if (at instanceof AggregateError && at.errors.length > 0) return at.errors[0];
  return at;
}
