import { reasonOf } from "../../../core/base/reason.ts";

/** A failure of the database. */
export type PostgresFailure =
  /** A bug of the caller: a broken rule of the tables, a wrong type. */
  | { readonly type: "rule-broken"; readonly reason: string }
  /** Another transaction was in the way; a retry may succeed. */
  | { readonly type: "in-the-way"; readonly reason: string }
  /** The server cannot write now. */
  | { readonly type: "disk"; readonly code: "STORE_FULL" | "STORE_FAILED"; readonly reason: string }
  /** The connection is lost; the last statements may have taken effect. */
  | { readonly type: "lost"; readonly reason: string };

/** SQLSTATE classes and codes, see PostgreSQL's appendix A. */
const diskFull = "53100";
const transactionRollback = "40";
const lockNotAvailable = "55P03";
const ruleClasses: ReadonlySet<string> = new Set(["0A", "21", "22", "23", "42", "54"]);
/** A server that became a standby still answers, but takes no writes. */
const readOnly = "25006";

/** Classifies an error that pg threw; any other error is a bug of Heddle. */
export function postgresFailure(error: unknown): PostgresFailure {
  const reason = reasonOf(error);
  if (!(error instanceof Error)) return { type: "rule-broken", reason };
  if (!("severity" in error) || !("code" in error) || typeof error.code !== "string") {
    // Socket errors and pg's own errors are plain Errors; assertions and type errors have other names.
    return error.name === "Error" || error.name === "AggregateError"
      ? { type: "lost", reason }
      : { type: "rule-broken", reason };
  }
  const { code, severity } = error;
  if (severity === "FATAL" || severity === "PANIC" || code.startsWith("08") || code === readOnly) {
    return { type: "lost", reason };
  }
  if (code === diskFull) return { type: "disk", code: "STORE_FULL", reason };
  if (code.startsWith(transactionRollback) || code === lockNotAvailable) return { type: "in-the-way", reason };
  if (ruleClasses.has(code.slice(0, 2))) return { type: "rule-broken", reason };
  return { type: "disk", code: "STORE_FAILED", reason };
}
