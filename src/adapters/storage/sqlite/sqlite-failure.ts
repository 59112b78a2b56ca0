import { reasonOf } from "../../../core/base/reason.ts";

/** A failure of SQLite, and its cause. */
export interface SqliteFailure {
  /** RULE_BROKEN is a bug of the caller: a constraint or a type. The other codes are failures of the disk. */
  readonly code: "RULE_BROKEN" | "STORE_FULL" | "STORE_FAILED";
  readonly reason: string;
}

/** Primary result codes, the low byte of every extended code. */
const sqliteFull = 13;
const callerMistakes: ReadonlySet<number> = new Set([
  1, // ERROR: SQL that does not fit the schema
  12, // NOTFOUND
  18, // TOOBIG
  19, // CONSTRAINT
  20, // MISMATCH
  21, // MISUSE
  25, // RANGE
]);

/** Classifies an error that node:sqlite threw; any other error is a bug of Heddle. */
export function sqliteFailure(error: unknown): SqliteFailure {
  const reason = reasonOf(error);
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") {
    return { code: "RULE_BROKEN", reason };
  }
  const primary = error.errcode & 0xff;
  if (primary === sqliteFull) return { code: "STORE_FULL", reason };
  return { code: callerMistakes.has(primary) ? "RULE_BROKEN" : "STORE_FAILED", reason };
}

const sqliteCorrupt = 11;

/** Whether an error means that a page of the file is damaged. */
export function isCorruption(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === sqliteCorrupt;
}
