import { assert } from "../../../core/base/assert.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { StoreRefusal } from "../../../core/port/store.ts";
import { postgresFailure } from "./failure.ts";
import type { PlannedWrite } from "./plan/planned-write.ts";
import type { Statements, Step } from "./plan/sql.ts";

export type Verdict =
  | { readonly type: "answered"; readonly result: Result<void, StoreRefusal> }
  /** The caller broke a rule; the commit changed nothing. */
  | { readonly type: "faulted"; readonly message: string };

const made: Verdict = { type: "answered", result: ok(undefined) };

/**
 * Makes several commits inside the open transaction. Since nearly all commits succeed, all their statements are sent
 * together, in one round trip, and each is judged by the rows that it touched. At the first failure everything is rolled
 * back to this point: the commits before it are sent again, the failing commit runs step by step to name its refusal, and
 * the rest follow in batches that start small. Throws when the transaction itself is lost.
 */
export async function makeCommits(
  sql: Statements,
  commits: readonly (readonly PlannedWrite[])[],
): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  let together = commits.length;
  while (verdicts.length < commits.length) {
    const next = commits.slice(verdicts.length, verdicts.length + together);
    const trouble = await makeTogether(sql, next);
    if (trouble === null) {
      verdicts.push(...next.map(() => made));
      together *= 2;
    } else if (trouble > 0) {
      together = trouble;
    } else {
      verdicts.push(await makeAlone(sql, next[0] ?? []));
      together = 1;
    }
  }
  return verdicts;
}

// Savepoints are never released: the transaction's end does that, and a later savepoint hides an earlier one of the same
// name.
const savepoint = "SAVEPOINT attempt";
const rollback = "ROLLBACK TO SAVEPOINT attempt";

/**
 * Sends all statements at once. Returns null when every commit is made; else the index of the first failing commit, and
 * nothing is made.
 */
async function makeTogether(sql: Statements, commits: readonly (readonly PlannedWrite[])[]): Promise<number | null> {
  const steps = commits.flatMap((writes, commit) =>
    writes.flatMap((write) => write.steps.map((step) => ({ commit, step }))),
  );
  const begun = sql.ask(savepoint);
  const settled = await Promise.allSettled([begun, ...steps.map(({ step }) => isMade(sql, step))]);
  for (const outcome of settled) if (outcome.status === "rejected") throwIfLost(outcome.reason);
  await begun;
  const wrong = settled.slice(1).findIndex((outcome) => outcome.status === "rejected" || outcome.value === false);
  if (wrong === -1) return null;
  await sql.ask(rollback);
  return steps[wrong]?.commit ?? null;
}

async function makeAlone(sql: Statements, writes: readonly PlannedWrite[]): Promise<Verdict> {
  await sql.ask(savepoint);
  const verdict = await stepByStep(sql, writes);
  if (verdict !== made) await sql.ask(rollback);
  return verdict;
}

async function stepByStep(sql: Statements, writes: readonly PlannedWrite[]): Promise<Verdict> {
  for (const [index, write] of writes.entries()) {
    try {
      const refused = (await write.refusal?.(sql)) ?? null;
      if (refused !== null) return { type: "answered", result: err({ ...refused, index }) };
      for (const step of write.steps) assert(await isMade(sql, step), write.rule ?? "nothing else is in the way");
    } catch (error) {
      throwIfLost(error);
      const failure = postgresFailure(error);
      if (failure.type !== "disk") return { type: "faulted", message: `${write.type}: ${failure.reason}` };
      return { type: "answered", result: err({ code: failure.code, reason: failure.reason, index }) };
    }
  }
  return made;
}

async function isMade(sql: Statements, { sql: text, values, touches }: Step): Promise<boolean> {
  const { touched } = await sql.ask(text, values);
  return touches === null || touched === touches;
}

/** Rethrows an error that ends the whole transaction, since no single commit caused it. */
function throwIfLost(error: unknown): void {
  const { type } = postgresFailure(error);
  if (type === "lost" || type === "in-the-way") throw error;
}
