import { reasonOf } from "../../../core/base/reason.ts";

/** What SQLite could not do, and who is to blame. */
export interface SqliteFailure {
  /** RULE_BROKEN: a constraint or a type; the caller's bug. The others are the disk's. */
  readonly code: "RULE_BROKEN" | "STORE_FULL" | "STORE_FAILED";
  readonly reason: string;
}

/** Primary result codes, the low byte of every extended one. */
const sqliteFull = 13;
const blamedOnTheCaller: ReadonlySet<number> = new Set([
  1, // ERROR: SQL that does not fit the schema
  12, // NOTFOUND
  18, // TOOBIG
  19, // CONSTRAINT
  20, // MISMATCH
  21, // MISUSE
  25, // RANGE
]);

/** Reads an error that node:sqlite threw; an error of another kind is our own bug. */
export function sqliteFailure(error: unknown): SqliteFailure {
  const reason = reasonOf(error);
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") {
    return { code: "RULE_BROKEN", reason };
  }
  const primary = error.errcode & 0xff;
  if (primary === sqliteFull) return { code: "STORE_FULL", reason };
  return { code: blamedOnTheCaller.has(primary) ? "RULE_BROKEN" : "STORE_FAILED", reason };
}
