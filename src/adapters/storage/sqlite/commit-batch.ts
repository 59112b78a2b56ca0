import type { DatabaseSync } from "node:sqlite";
import { applyWrite } from "./row-write.ts";
import { sqliteFailure } from "./sqlite-failure.ts";
import type { Statements } from "./sql.ts";
import type { CommitRefusal, CommitRequest, DiskRefusal, StorageAnswer } from "./wire.ts";

type Verdict =
  | { readonly type: "made" }
  | { readonly type: "refused"; readonly refusal: CommitRefusal }
  | { readonly type: "faulted"; readonly message: string };

/**
 * Makes several commits in one transaction, so that they share one fsync. Each has its own savepoint: a refused one is
 * rolled back alone. When the disk fails for the transaction, none is made and all are told so, also those refused for
 * another reason: what they were judged against does not exist.
 */
export function commitBatch(
  database: DatabaseSync,
  statements: Statements,
  commits: readonly CommitRequest[],
): readonly StorageAnswer[] {
  try {
    statements.run("BEGIN IMMEDIATE", []);
    const verdicts = commits.map((commit) => makeCommit(database, statements, commit));
    statements.run(verdicts.some((verdict) => verdict.type === "made") ? "COMMIT" : "ROLLBACK", []);
    return commits.map((commit, index) => answer(commit, verdicts[index]));
  } catch (error) {
    if (database.isTransaction) statements.run("ROLLBACK", []);
    const disk = diskRefusal(error);
    return commits.map((commit) => refusedByDisk(commit, disk));
  }
}

/** Throws when the transaction itself is lost. */
function makeCommit(database: DatabaseSync, statements: Statements, commit: CommitRequest): Verdict {
  statements.run("SAVEPOINT one", []);
  const verdict = applyWrites(database, statements, commit);
  if (verdict.type !== "made") statements.run("ROLLBACK TO one", []);
  statements.run("RELEASE one", []);
  return verdict;
}

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
