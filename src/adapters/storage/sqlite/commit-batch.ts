import type { DatabaseSync } from "node:sqlite";
import { applyWrite } from "./row-write.ts";
import { sqliteFailure, type SqliteFailure } from "./sqlite-failure.ts";
import type { Statements } from "../row/sql.ts";
import { fileNewChanges } from "./tables/changes.ts";
import type { CommitRefusal, CommitRequest, DiskRefusal, StorageAnswer } from "./wire.ts";

type Verdict =
  | { readonly type: "made" }
  | { readonly type: "refused"; readonly refusal: CommitRefusal }
  | { readonly type: "faulted"; readonly message: string };

/**
 * Makes several commits in one transaction, so that they share one fsync. A refused commit leaves nothing and affects no
 * other. When the disk fails for the transaction, no commit is made and all report the failure, including those refused for
 * another reason, since the state they were judged against does not exist.
 */
export function commitBatch(
  database: DatabaseSync,
  statements: Statements,
  commits: readonly CommitRequest[],
): readonly StorageAnswer[] {
  try {
    const verdicts = makeTogether(database, statements, commits) ?? makeOneByOne(database, statements, commits);
    return commits.map((commit, index) => answer(commit, verdicts[index]));
  } catch (error) {
    abandon(database, statements);
    const disk = diskRefusal(error);
    return commits.map((commit) => refusedByDisk(commit, disk));
  }
}

/**
 * Tries the usual case, in which no commit is refused: a savepoint for each would cost a fifth of the time. Returns null
 * when one of several was refused, and nothing was made.
 */
function makeTogether(
  database: DatabaseSync,
  statements: Statements,
  commits: readonly CommitRequest[],
): readonly Verdict[] | null {
  statements.begin("BEGIN IMMEDIATE");
  const verdicts: Verdict[] = [];
  for (const commit of commits) {
    const verdict = applyWrites(database, statements, commit);
    verdicts.push(verdict);
    if (verdict.type === "made") continue;
    statements.rollBack();
    return commits.length === 1 ? verdicts : null;
  }
  statements.run("COMMIT", []);
  return verdicts;
}

/** Runs each commit in its own savepoint, so that a refused commit is rolled back alone. */
function makeOneByOne(
  database: DatabaseSync,
  statements: Statements,
  commits: readonly CommitRequest[],
): readonly Verdict[] {
  statements.begin("BEGIN IMMEDIATE");
  const verdicts = commits.map((commit) => {
    statements.begin("SAVEPOINT one");
    const verdict = applyWrites(database, statements, commit);
    if (verdict.type !== "made") statements.rollBack("TO one");
    statements.run("RELEASE one", []);
    return verdict;
  });
  if (verdicts.some((verdict) => verdict.type === "made")) statements.run("COMMIT", []);
  else statements.rollBack();
  return verdicts;
}

/**
 * Files the newest changes into the table that is indexed by block, request and turn. Returns the failure, or null on
 * success: unfiled changes are just as safe.
 */
export function fileNow(database: DatabaseSync, statements: Statements): SqliteFailure | null {
  try {
    statements.begin("BEGIN IMMEDIATE");
    fileNewChanges(statements);
    statements.run("COMMIT", []);
    return null;
  } catch (error) {
    abandon(database, statements);
    return sqliteFailure(error);
  }
}

/** Rolls back, unless the failure has already rolled back the transaction. */
function abandon(database: DatabaseSync, statements: Statements): void {
  if (database.isTransaction) statements.rollBack();
  statements.newChanges = null;
}

/** Throws when the transaction itself is lost. */
function applyWrites(database: DatabaseSync, statements: Statements, commit: CommitRequest): Verdict {
  for (const [index, write] of commit.writes.entries()) {
    try {
      const refused = applyWrite(statements, write);
      if (refused !== null) return { type: "refused", refusal: { ...refused, index } };
    } catch (error) {
      if (!database.isTransaction) throw error;
      const failure = sqliteFailure(error);
      if (failure.code === "RULE_BROKEN") return { type: "faulted", message: `${write.type}: ${failure.reason}` };
      return { type: "refused", refusal: { code: failure.code, reason: failure.reason, index } };
    }
  }
  return { type: "made" };
}

function answer(commit: CommitRequest, verdict: Verdict | undefined): StorageAnswer {
  if (verdict === undefined || verdict.type === "made") return { type: "committed", id: commit.id };
  return { ...verdict, id: commit.id };
}

function diskRefusal(error: unknown): DiskRefusal {
  const failure = sqliteFailure(error);
  return { code: failure.code === "STORE_FULL" ? "STORE_FULL" : "STORE_FAILED", reason: failure.reason };
}

function refusedByDisk(commit: CommitRequest, disk: DiskRefusal): StorageAnswer {
  return { type: "refused", id: commit.id, refusal: { ...disk, index: commit.writes.length } };
}
