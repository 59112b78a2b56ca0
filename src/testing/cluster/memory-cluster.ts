import type { ClusterView, NodeRow } from "../../core/cluster/cluster-view.ts";
import type { Clock } from "../../core/port/platform.ts";
import type { ClusterTable, JoiningNode } from "../../core/port/cluster-table.ts";
import { InProcessHints } from "./in-process-hints.ts";

/** Mistakes to plant, so that tests show that they would be found. */
export interface PlantedFaults {
  readonly fenceIgnoresState?: boolean;
  readonly fenceIgnoresEpoch?: boolean;
  readonly reapIgnoresLock?: boolean;
  readonly acquireIgnoresEpoch?: boolean;
  readonly handOverIgnoresLock?: boolean;
  readonly settleReadsPlainly?: boolean;
  readonly joinIgnoresLock?: boolean;
}

interface Row {
  nodeId: string;
  incarnation: number;
  state: NodeRow["state"];
  expiresAt: number;
  stamp: number;
  ttlMs: number;
  address: string;
  batch: number;
  lock: MemoryTransaction | null;
}

/** A write as it lies in the log. */
export interface LoggedWrite {
  readonly value: string;
  readonly incarnation: number;
  readonly epoch: number;
}

const lockTimeoutMs = 300;

/** The database of a cluster in memory: what each statement of the PostgreSQL one does to its rows, and who waits for whom. */
export class MemoryCluster {
  readonly log: LoggedWrite[] = [];
  /** Added to the database's clock. */
  clockOffsetMs = 0;
  readonly #clock: Clock;
  readonly #faults: PlantedFaults;
  readonly #pause: () => Promise<void>;
  readonly #rows = new Map<string, Row>();
  readonly #hints = new InProcessHints();
  #claim: { incarnation: number | null; epoch: number } = { incarnation: null, epoch: 0 };
  #nextIncarnation = 1;
  #stamps = 0;

  /** `pause` is awaited inside transactions, wherever another one may come between two statements. */
  constructor(
    clock: Clock,
    { faults = {}, pause = async () => {} }: { faults?: PlantedFaults; pause?: () => Promise<void> } = {},
  ) {
    this.#clock = clock;
    this.#faults = faults;
    this.#pause = pause;
  }

  get claim(): { readonly incarnation: number | null; readonly epoch: number } {
    return this.#claim;
  }

  table(): ClusterTable {
    const hints = this.#hints.bus();
    return {
      secret: new Uint8Array(32),
      join: (node) => this.#join(node),
      renew: async (incarnation) => this.#renew(incarnation),
      look: async () => this.#look(),
      reap: (incarnation) => this.#reap(incarnation),
      acquire: (incarnation, epoch) => this.#acquire(incarnation, epoch),
      handOver: (incarnation, epoch, to) => this.#handOver(incarnation, epoch, to),
      drain: (incarnation) => this.#setState(incarnation, "draining"),
      leave: (incarnation) => this.#setState(incarnation, "dead"),
      onHint: (listener) => hints.onHint(listener),
      close: () => hints.close(),
    };
  }

  /** Begins a transaction with its fence; null: it is refused as stale. */
  async begin(incarnation: number, epoch: number, batch: number): Promise<MemoryTransaction | null> {
    const row = this.#rowOf(incarnation);
    if (row === null) return null;
    await unlocked(row);
    const isOwner = this.#claim.epoch === epoch && this.#claim.incarnation === incarnation;
    if (row.incarnation !== incarnation) return null;
    if (row.state === "dead" && this.#faults.fenceIgnoresState !== true) return null;
    if (!isOwner && this.#faults.fenceIgnoresEpoch !== true) return null;
    if (row.batch !== batch - 1) return null;
    const expiresAt = this.#now() + row.ttlMs;
    const transaction = new MemoryTransaction((values) => {
      row.batch = batch;
      row.expiresAt = expiresAt;
      row.stamp = this.#stamps += 1;
      for (const value of values) this.log.push({ value, incarnation, epoch });
    });
    lock(row, transaction);
    return transaction;
  }

  /** The number of the last transaction that was made; waits for one under way. Null: the incarnation is over. */
  async settledBatch(incarnation: number): Promise<number | null> {
    const row = this.#rowOf(incarnation);
    if (row !== null && this.#faults.settleReadsPlainly !== true) await unlocked(row);
    return row === null || row.incarnation !== incarnation || row.state === "dead" ? null : row.batch;
  }

  /** Ends every open transaction, as a restart of the database does. */
  restart(): void {
    for (const row of this.#rows.values()) row.lock?.terminate();
  }

  #now(): number {
    return this.#clock.monotonic() + this.clockOffsetMs;
  }

  #rowOf(incarnation: number): Row | null {
    return [...this.#rows.values()].find((row) => row.incarnation === incarnation) ?? null;
  }

  #changed(): void {
    this.#hints.tell();
  }

  async #join({ nodeId, ttlMs, address, again }: JoiningNode): Promise<number | null> {
    const row = this.#rows.get(nodeId);
    if (row !== undefined) {
      if (this.#faults.joinIgnoresLock !== true) await unlocked(row);
      const isOurs = row.incarnation === again || row.state === "dead" || row.expiresAt < this.#now();
      if (again !== null && !isOurs) return null;
    }
    const incarnation = this.#nextIncarnation;
    this.#nextIncarnation += 1;
    const joined = {
      nodeId,
      incarnation,
      state: "live",
      expiresAt: this.#now() + ttlMs,
      ttlMs,
      address,
      batch: 0,
    } as const;
    this.#rows.set(nodeId, { ...joined, stamp: (this.#stamps += 1), lock: null });
    this.#changed();
    return incarnation;
  }

  #renew(incarnation: number): boolean | null {
    const row = this.#rowOf(incarnation);
    if (row === null || row.state === "dead") return false;
    if (row.lock !== null) return null;
    row.expiresAt = this.#now() + row.ttlMs;
    row.stamp = this.#stamps += 1;
    return true;
  }

  #look(): ClusterView {
    const rows = [...this.#rows.values()].filter(({ state }) => state !== "dead");
    const nodes = rows.map(({ nodeId, incarnation, state, expiresAt, stamp, ttlMs, address }): NodeRow => ({
      nodeId,
      incarnation,
      state,
      remainingMs: expiresAt - this.#now(),
      ttlMs,
      stamp: String(stamp),
      address,
    }));
    return { nodes, claim: { ...this.#claim } };
  }

  async #reap(incarnation: number): Promise<void> {
    const row = this.#rowOf(incarnation);
    if (row === null || !this.#isExpired(row)) return;
    if (row.lock !== null && this.#faults.reapIgnoresLock !== true) {
      const waited = new Promise<void>((resolve) => this.#clock.setTimer(lockTimeoutMs, resolve));
      await Promise.race([unlocked(row), waited]);
      if (row.incarnation === incarnation && this.#isExpired(row)) row.lock?.terminate();
      await unlocked(row);
    }
    if (row.incarnation !== incarnation || !this.#isExpired(row)) return;
    row.state = "dead";
    this.#changed();
  }

  #isExpired({ expiresAt, ttlMs, state }: Row): boolean {
    return state !== "dead" && (expiresAt < this.#now() || expiresAt > this.#now() + 2 * ttlMs);
  }

  async #acquire(incarnation: number, epoch: number): Promise<number | null> {
    const row = this.#rowOf(incarnation);
    if (row === null) return null;
    await unlocked(row);
    if (row.incarnation !== incarnation || row.state === "dead") return null;
    // The sub-select on other rows keeps the snapshot of the statement's start, also after a wait.
    const owner = this.#claim.incarnation === null ? null : this.#rowOf(this.#claim.incarnation);
    const isFree = owner === null || owner.state === "dead";
    const held = new MemoryTransaction(() => {});
    lock(row, held);
    await this.#pause();
    const isSame = this.#claim.epoch === epoch || this.#faults.acquireIgnoresEpoch === true;
    const isMade = isFree && isSame && !held.isTerminated;
    if (isMade) {
      row.expiresAt = this.#now() + row.ttlMs;
      row.stamp = this.#stamps += 1;
      this.#claim = { incarnation, epoch: this.#claim.epoch + 1 };
    }
    held.rollBack();
    if (!isMade) return null;
    this.#changed();
    return this.#claim.epoch;
  }

  async #handOver(incarnation: number, epoch: number, to: number): Promise<boolean> {
    const row = this.#rowOf(incarnation);
    if (row === null) return false;
    if (this.#faults.handOverIgnoresLock !== true) await unlocked(row);
    const isOurs = row.incarnation === incarnation && row.state !== "dead";
    if (!isOurs || this.#claim.incarnation !== incarnation || this.#claim.epoch !== epoch) return false;
    if (this.#rowOf(to)?.state !== "live") return false;
    this.#claim = { incarnation: to, epoch: epoch + 1 };
    this.#changed();
    return true;
  }

  async #setState(incarnation: number, state: "draining" | "dead"): Promise<void> {
    const row = this.#rowOf(incarnation);
    if (row === null) return;
    await unlocked(row);
    if (row.incarnation !== incarnation || row.state === "dead") return;
    row.state = state;
    this.#changed();
  }
}

/** An open transaction: its node's row is locked until it ends. */
export class MemoryTransaction {
  isTerminated = false;
  /** Its COMMIT is under way: a lost connection no longer ends it. */
  isCommitting = false;
  readonly ended: Promise<void>;
  readonly #make: (values: readonly string[]) => void;
  #end: () => void = () => {};
  #isOver = false;

  constructor(make: (values: readonly string[]) => void) {
    this.#make = make;
    this.ended = new Promise((resolve) => (this.#end = resolve));
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Returns whether it was made: a terminated one is not. */
  commit(values: readonly string[]): boolean {
    if (this.#isOver) return false;
    this.#make(values);
    this.#over();
    return true;
  }

  rollBack(): void {
    this.#over();
  }

  terminate(): void {
    if (this.#isOver) return;
    this.isTerminated = true;
    this.#over();
  }

  #over(): void {
    this.#isOver = true;
    this.#end();
  }
}

function lock(row: Row, transaction: MemoryTransaction): void {
  row.lock = transaction;
  void transaction.ended.then(() => {
    if (row.lock === transaction) row.lock = null;
  });
}

async function unlocked(row: Row): Promise<void> {
  while (row.lock !== null) await row.lock.ended;
}
