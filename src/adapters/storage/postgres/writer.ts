import { setTimeout as delay } from "node:timers/promises";
import type { Client, ClientConfig } from "pg";
import { assert } from "../../../core/base/assert.ts";
import { reasonOf } from "../../../core/base/reason.ts";
import { err, type Result } from "../../../core/base/result.ts";
import type { StoreRefusal } from "../../../core/port/store.ts";
import { StoreClosedError, StoreCrashedError, StoreFaultError, StoreOpenError } from "../shared/store-error.ts";
import { makeCommits, type Verdict } from "./commit-batch.ts";
import { postgresFailure, type PostgresFailure } from "./failure.ts";
import type { PlannedWrite } from "./plan/planned-write.ts";
import type { Statements } from "./plan/sql.ts";
import { WriterLink } from "./writer-link.ts";
import type { WriterRight } from "./writer-right.ts";

/** Bounds how long the first commit of a batch waits for the last. */
const batchCommitsMax = 1_000;
const attemptsMax = 5;
/** A database that is away is asked so often: everybody waits for it, and the try that finds it ends their wait. */
const reconnectMsMin = 20;
const reconnectMsMax = 250;
/** Milliseconds between checks of an idle connection, and of who has the database. */
const heartbeatMs = 1_500;

interface WaitingCommit {
  readonly writes: readonly PlannedWrite[];
  readonly resolve: (result: Result<void, StoreRefusal>) => void;
  readonly reject: (problem: Error) => void;
}

export interface WriterOptions {
  readonly config: ClientConfig;
  /** A connection that is open already and in order; absent or null: one is made. */
  readonly ready?: Client | null;
  /** Why this process may write. */
  readonly right: WriterRight;
  /** Milliseconds that a commit waits for an unreachable database before it is refused. */
  readonly reconnectMs: number;
  readonly onLost: (problem: Error) => void;
}

/** Makes a store's commits. */
export interface Commits {
  commit(writes: readonly PlannedWrite[]): Promise<Result<void, StoreRefusal>>;
  /** Resolves when everything requested before is answered and the database is free for another process. */
  close(): Promise<void>;
}

/**
 * Makes commits in the order of their requests: all commits that queued during the last transaction go into the next. Each
 * transaction increments the batch number in the row of its right to write, which tells, after a connection was lost during
 * COMMIT, whether the transaction was made.
 */
export class Writer implements Commits {
  readonly #options: WriterOptions;
  readonly #name: string;
  readonly #right: WriterRight;
  readonly #heartbeat: NodeJS.Timeout;
  #queue: WaitingCommit[] = [];
  /** The number of the last committed transaction. */
  #batch: number;
  /** The connection, or the attempt to open the next. */
  #link: Promise<WriterLink>;
  /** The open connection, if any. */
  #current: WriterLink | null;
  #working: Promise<void> | null = null;
  #ended: Error | null = null;

  /** Takes the right to write for this process. Rejects with StoreOpenError. */
  static async open(options: WriterOptions): Promise<Writer> {
    const { config, right, ready = null } = options;
    const name = config.application_name ?? "heddle";
    const taken: { by?: Writer } = {};
    const onLost = (lost: WriterLink): void => {
      if (taken.by !== undefined) taken.by.#relink(lost);
    };
    const link = ready === null ? await WriterLink.open(config, onLost) : WriterLink.over(ready, onLost);
    try {
      const batch = await right.take(link);
      taken.by = new Writer(options, { name, link, batch });
      return taken.by;
    } catch (problem) {
      await link.close();
      throw problem;
    }
  }

  private constructor(
    options: WriterOptions,
    taken: { readonly name: string; readonly link: WriterLink; readonly batch: number },
  ) {
    this.#options = options;
    this.#name = taken.name;
    this.#right = options.right;
    this.#batch = taken.batch;
    this.#link = Promise.resolve(taken.link);
    this.#current = taken.link;
    this.#heartbeat = setInterval(() => this.#beat(), heartbeatMs);
    this.#heartbeat.unref();
  }

  commit(writes: readonly PlannedWrite[]): Promise<Result<void, StoreRefusal>> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== null) {
        reject(this.#ended);
        return;
      }
      this.#queue.push({ writes, resolve, reject });
      this.#working ??= this.#work();
    });
  }

  async close(): Promise<void> {
    this.#ended ??= new StoreClosedError("the store is closed");
    clearInterval(this.#heartbeat);
    await this.#working;
    await this.#current?.close();
  }

  async #work(): Promise<void> {
    // Batches the requests of one tick.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const batch = this.#queue.slice(0, batchCommitsMax);
      this.#queue = this.#queue.slice(batch.length);
      await this.#make(batch);
    }
    this.#working = null;
  }

  /** Makes one transaction of these commits, through any number of lost connections, and answers them. */
  async #make(batch: readonly WaitingCommit[]): Promise<void> {
    const deadline = performance.now() + this.#options.reconnectMs;
    const commits = batch.map(({ writes }) => writes);
    /** The answers of a transaction whose COMMIT was sent but not answered. */
    let unsure: readonly Verdict[] | null = null;
    for (let tries = 1; ;) {
      const link = await this.#linkBefore(deadline);
      if (link === null) {
        if (unsure === null) refuseAll(batch, "STORE_FAILED", "the database cannot be reached");
        else this.#end(new StoreCrashedError("the database was lost in the middle of a commit"), batch);
        return;
      }
      if (link instanceof Error) {
        for (const { reject } of batch) reject(link);
        return;
      }
      try {
        if (unsure !== null && (await this.#right.lastBatch(link.sql)) === this.#batch + 1) {
          this.#batch += 1;
          answer(batch, unsure);
          return;
        }
        unsure = null;
        const verdicts = await this.#transaction(link.sql, commits, (judged) => {
          unsure = judged;
        });
        answer(batch, verdicts);
        return;
      } catch (problem) {
        if (problem instanceof StoreCrashedError) {
          this.#end(problem, batch);
          return;
        }
        const failure = postgresFailure(problem);
        if (failure.type === "lost") {
          void link.close();
          this.#relink(link);
          if (unsure !== null || performance.now() < deadline) continue;
          // A commit that breaks every connection must not be retried for ever.
          refuseAll(batch, "STORE_FAILED", failure.reason);
          return;
        }
        // The server has answered: nothing of the transaction is made.
        unsure = null;
        await link.sql.command("ROLLBACK").catch(() => {});
        if (failure.type === "in-the-way" && tries < attemptsMax) {
          tries += 1;
          continue;
        }
        if (failure.type === "rule-broken") for (const { reject } of batch) reject(new StoreFaultError(failure.reason));
        else refuseAll(batch, codeOf(failure), failure.reason);
        return;
      }
    }
  }

  async #transaction(
    sql: Statements,
    commits: readonly (readonly PlannedWrite[])[],
    onCommit: (verdicts: readonly Verdict[]) => void,
  ): Promise<readonly Verdict[]> {
    const made = this.#right.sending(commits.length);
    const { sql: fence, values } = this.#right.fence(this.#batch + 1);
    const begun = Promise.all([sql.command("BEGIN"), sql.ask(fence, values)]);
    const judged = await Promise.allSettled([begun, makeCommits(sql, commits)]);
    const [, counted] = await begun;
    if (counted.touched !== 1) throw new StoreCrashedError("another process has taken the database");
    if (judged[1].status === "rejected") throw judged[1].reason;
    const verdicts = judged[1].value;
    if (!verdicts.some(isMade)) {
      await sql.command("ROLLBACK");
      return verdicts;
    }
    onCommit(verdicts);
    assert((await sql.command("COMMIT")) === "COMMIT", "a transaction of commits that were made is made");
    made();
    this.#batch += 1;
    return verdicts;
  }

  /** Returns the connection, null when there is none before the deadline, or the error when there will never be one. */
  async #linkBefore(deadline: number): Promise<WriterLink | null | Error> {
    const waiting = new AbortController();
    const tooLate = delay(Math.max(0, deadline - performance.now()), null, { signal: waiting.signal });
    try {
      return await Promise.race([this.#link.catch((problem: Error) => problem), tooLate]);
    } finally {
      waiting.abort();
      tooLate.catch(() => {});
    }
  }

  /** Starts to reconnect at once, so that no other process finds the database free. */
  #relink(lost: WriterLink): void {
    if (this.#ended !== null && this.#working === null) return;
    if (this.#current !== lost) return;
    this.#current = null;
    this.#link = this.#reconnect();
    this.#link.catch(() => {});
  }

  async #reconnect(): Promise<WriterLink> {
    for (let wait = reconnectMsMin; ; wait = Math.min(wait * 2, reconnectMsMax)) {
      if (this.#ended !== null && this.#working === null) throw this.#ended;
      const link = await this.#tryReconnect();
      if (link !== null) {
        this.#current = link;
        return link;
      }
      await delay(wait, undefined, { ref: this.#working !== null });
    }
  }

  /** Opens a connection and takes the right to write again; null when a retry may help. */
  async #tryReconnect(): Promise<WriterLink | null> {
    let link: WriterLink;
    try {
      link = await WriterLink.open(this.#options.config, (lost) => this.#relink(lost));
    } catch {
      return null;
    }
    let isOurs = true;
    try {
      await link.endStaleSessions(this.#name);
      const isTaken = await this.#right.takeAgain(link);
      // Who took the database may keep the lock as long as it runs: the row names them at once.
      isOurs = (await this.#right.lastBatch(link.sql)) !== null;
      if (isTaken && isOurs) return link;
    } catch {
      // It was lost again.
    }
    await link.close();
    if (!isOurs) {
      const taken = new StoreCrashedError("another process has taken the database");
      this.#end(taken, []);
      throw taken;
    }
    return null;
  }

  #beat(): void {
    if (this.#working !== null) return;
    // The connection itself notices a silent server, and its users learn from it.
    void this.#link.then((link) => this.#lookForAnother(link)).catch(() => {});
  }

  /** Ends the writer when another process has taken the database, though this session never ended (behind a pooler). */
  async #lookForAnother({ sql }: WriterLink): Promise<void> {
    if (await this.#right.isValid(sql)) return;
    this.#end(new StoreCrashedError("another process has taken the database"), []);
  }

  /** Ends the writer: the fate of these commits is unknown, and no later commit can be made. */
  #end(problem: StoreCrashedError, batch: readonly WaitingCommit[]): void {
    const first = this.#ended === null;
    if (first) this.#ended = problem;
    clearInterval(this.#heartbeat);
    for (const { reject } of [...batch, ...this.#queue]) reject(problem);
    this.#queue = [];
    if (first) this.#options.onLost(problem);
  }
}

function isMade(verdict: Verdict): boolean {
  return verdict.type === "answered" && verdict.result.ok;
}

function answer(batch: readonly WaitingCommit[], verdicts: readonly Verdict[]): void {
  for (const [index, { resolve, reject }] of batch.entries()) {
    const verdict = verdicts[index];
    assert(verdict !== undefined, "every commit of a batch has its verdict");
    if (verdict.type === "answered") resolve(verdict.result);
    else reject(new StoreFaultError(verdict.message));
  }
}

function refuseAll(batch: readonly WaitingCommit[], code: "STORE_FULL" | "STORE_FAILED", reason: string): void {
  for (const { writes, resolve } of batch) resolve(err({ code, index: writes.length, reason }));
}

function codeOf(failure: PostgresFailure): "STORE_FULL" | "STORE_FAILED" {
  return failure.type === "disk" ? failure.code : "STORE_FAILED";
}

export function openProblem(problem: unknown): StoreOpenError {
  return problem instanceof StoreOpenError ? problem : new StoreOpenError("STORE_FAILED", reasonOf(problem));
}
