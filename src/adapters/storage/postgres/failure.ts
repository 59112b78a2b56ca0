import { reasonOf } from "../../../core/base/reason.ts";

/** What the database could not do. */
export type PostgresFailure =
  /** The caller's bug: a rule of the tables, a type. */
  | { readonly type: "rule-broken"; readonly reason: string }
  /** Tried again, it may go through: others were in the way. */
  | { readonly type: "in-the-way"; readonly reason: string }
  /** The server cannot write now. */
  | { readonly type: "disk"; readonly code: "STORE_FULL" | "STORE_FAILED"; readonly reason: string }
  /** Nothing more comes over this connection; what was asked last may have happened. */
  | { readonly type: "lost"; readonly reason: string };

/** SQLSTATE classes and codes, see PostgreSQL's appendix A. */
const diskFull = "53100";
const transactionRollback = "40";
const lockNotAvailable = "55P03";
const ruleClasses: ReadonlySet<string> = new Set(["0A", "21", "22", "23", "42", "54"]);
/** A server that became a standby answers, but is not our database any more. */
const readOnly = "25006";

/** Reads an error that pg threw; one of another kind is our own bug. */
export function postgresFailure(error: unknown): PostgresFailure {
  const reason = reasonOf(error);
  if (!(error instanceof Error)) return { type: "rule-broken", reason };
  if (!("severity" in error) || !("code" in error) || typeof error.code !== "string") {
    // The socket's errors and pg's own are plain; assertions and type errors have names.
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
