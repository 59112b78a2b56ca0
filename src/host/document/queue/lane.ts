import { setImmediate } from "node:timers/promises";
import { must, unreachable } from "../../../core/base/assert.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { BlockId, DocumentId, RequestId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { isOnlyInDraft } from "../../../core/block/list-blocks.ts";
import type { BlockChange, BlockHeader } from "../../../core/block/types.ts";
import type { Thread } from "../../../core/block/comment/thread.ts";
import type { Clock, Logger } from "../../../core/port/platform.ts";
import type { Store, StoreRefusal, StoreWrite } from "../../../core/port/store.ts";
import type { ReplicaId } from "../../../core/text/types.ts";
import { ThreadTime } from "../../base/thread-time.ts";
import { BlockNumbers } from "../record/block-numbers.ts";
import { BroadcastBatcher } from "./broadcast-batcher.ts";
import type { BusyTurns } from "../record/busy-turns.ts";
import type { SharedTicks } from "./shared-ticks.ts";
import { FairQueue, type Job } from "./fair-queue.ts";
import { Feed } from "../record/feed.ts";
import { commitAttemptsMax, hubLimits, type Retention } from "../record/limits.ts";
import {
  beginDraft,
  flushMutation,
  needsOwnCommit,
  type Applied,
  type Mutation,
  type PlannedMutation,
  type QueuedMutation,
  type CommitDraft,
} from "./mutation.ts";
import { loadBlock, type BlocksReadBefore } from "../block/load-block.ts";
import type { OpenBlock } from "../block/open-block.ts";
import { MemorySweep } from "./memory-sweep.ts";
import { OpenBlocks } from "./open-blocks.ts";
import { PendingText } from "./pending-text.ts";
import { Planner } from "./planner.ts";
import { BlockMaintenance } from "../block/block-maintenance.ts";
import type { Author } from "../record/types.ts";
import type { Writer } from "../record/writer.ts";
import { closedRefusal, whyMissing } from "../block/closed-refusal.ts";

export interface LanePorts {
  readonly store: Store;
  /** Blocks that were read before the store could be written. */
  readonly early?: BlocksReadBefore | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** See Agents. */
  readonly ownerOf: (replica: ReplicaId) => Promise<ReplicaId>;
  readonly retention: Retention;
  /** Shared by all lanes. */
  readonly turns: BusyTurns;
  /** When buffered text that nothing else wrote out is written; shared by all lanes. */
  readonly ticks: SharedTicks;
  /** Called after all watchers with the threads of comments whose anchors a commit altered. */
  readonly onThreads: (threads: readonly Thread[]) => void;
  /** Called with the time that each mutation took. */
  readonly onSpent: (time: SpentTime) => void;
  /** Called before any watcher with the blocks that a commit changed, and with its changes. */
  readonly onCommitted: (headers: readonly BlockHeader[], changes: readonly BlockChange[]) => void;
}

/** Milliseconds of the main thread that an author's mutation took. */
export interface SpentTime {
  readonly replica: ReplicaId;
  readonly ms: number;
  /** When it was done, in monotonic milliseconds. */
  readonly at: number;
}

/** Which blocks a job works on. */
export interface Whose {
  /** Also those that only drafts have, which do not exist for anybody else. */
  readonly ofDrafts?: boolean;
}

/** A mutation applied in memory and not yet on disk. The caller calls exactly one of `committed` and `dropped`. */
export interface PreparedMutation {
  readonly outcome: Result<Applied, Refusal>;
  readonly writes: readonly StoreWrite[];
  /** The writes are on disk: notifies watchers. */
  committed(): void;
  /** The writes are not on disk: restores the state of the store in memory. */
  dropped(): void;
}

/**
 * The queue of one document. Everything that touches its blocks runs here, one job after the other; mutations that wait
 * together are committed together, and nothing is broadcast or acknowledged before its commit is on disk.
 */
export class Lane {
  readonly documentId: DocumentId;
  readonly feed: Feed;
  readonly #ports: LanePorts;
  readonly #jobs = new FairQueue();
  #draining: Promise<void> | null = null;
  /** Milliseconds spent on planning since the queue last let the event loop go on. */
  #plannedMs = 0;
  readonly #blocks: OpenBlocks;
  readonly #maintenance: BlockMaintenance;
  readonly #pendingById = new Map<BlockId, PendingText>();
  readonly #numbers: BlockNumbers;
  readonly #sweep: MemorySweep;
  readonly #time: ThreadTime;
  readonly #batcher: BroadcastBatcher;
  readonly #planner: Planner;

  /** `onIdle` is called when no block is in memory or watched and no job waits: the lane can be dropped. */
  constructor(documentId: DocumentId, ports: LanePorts, onIdle: () => void) {
    this.documentId = documentId;
    this.#ports = ports;
    this.#blocks = new OpenBlocks(ports.clock);
    this.feed = new Feed(ports.logger, (blockId) => this.#sweep.letGoOfReply(blockId));
    this.#time = new ThreadTime(ports.clock);
    this.#batcher = new BroadcastBatcher(ports.clock);
    this.#planner = new Planner(ports, this.#pendingById);
    this.#numbers = new BlockNumbers(ports.store, documentId);
    this.#maintenance = new BlockMaintenance(ports, {
      alone: (work) => this.alone(work),
      isOpen: (block) => this.#blocks.has(block),
      drop: (block) => this.#blocks.forget(block.id),
      compacted: (block) => {
        if (this.#blocks.has(block)) this.#sweep.letGoOfReply(block.id);
      },
    });
    this.#sweep = new MemorySweep({
      clock: ports.clock,
      blocks: this.#blocks,
      feed: this.feed,
      maintenance: this.#maintenance,
      isBusy: () => this.#draining !== null,
      hasPending: (blockId) => (blockId === undefined ? this.#pendingById.size > 0 : this.#pendingById.has(blockId)),
      onIdle,
    });
  }

  mutate(mutation: Mutation): Promise<Result<Applied, Refusal>> {
    return new Promise((resolve, reject) => {
      this.#enqueue({ type: "mutate", queued: { mutation, resolve, reject } });
    });
  }

  /** Runs `work` while nothing else of the document runs: the committed state that it reads is current until it is done. */
  alone<Value>(work: () => Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.#enqueue({ type: "alone", run: () => work().then(resolve, reject) });
    });
  }

  /** Commits a mutation from within `alone`. */
  mutateNow(mutation: Mutation): Promise<Result<Applied, Refusal>> {
    return new Promise((resolve, reject) => {
      this.#commit([{ mutation, resolve, reject }]).catch(reject);
    });
  }

  /** Plans a mutation from within `alone`; the caller commits it and reports the result before `alone` ends. */
  async prepareNow(mutation: Mutation): Promise<PreparedMutation> {
    await this.#flushNow(mutation.blockId);
    const draft = beginDraft();
    try {
      await this.#plan({ mutation, resolve: () => {}, reject: () => {} }, draft);
    } catch (bug) {
      this.#rollBack(draft);
      throw bug;
    }
    const [planned] = draft.planned;
    return {
      outcome: must(planned, "the mutation was planned").outcome,
      writes: draft.writes,
      committed: () => this.#afterCommit(draft),
      dropped: () => this.#rollBack(draft),
    };
  }

  /** Deletes the document in the transaction of `commit`, and forgets it: later jobs find no block. */
  async remove(commit: () => Promise<Result<void, Refusal>>): Promise<Result<void, Refusal>> {
    for (;;) {
      // Maintenance finishes inside this queue, so waiting for it from within the queue would deadlock.
      await this.#maintenance.settled();
      const removed = await this.alone(async () => (this.#maintenance.isBusy ? null : this.#removeNow(commit)));
      if (removed !== null) return removed;
    }
  }

  async #removeNow(commit: () => Promise<Result<void, Refusal>>): Promise<Result<void, Refusal>> {
    const committed = await commit();
    if (!committed.ok) return committed;
    for (const pending of this.#pendingById.values()) pending.clear();
    this.#pendingById.clear();
    this.#blocks.clear();
    this.#numbers.forget();
    return committed;
  }

  /**
   * Returns the block with all buffered text written; null when it does not exist. The caller is within `alone`. `ofDrafts`:
   * a block that only drafts have exists too.
   */
  async settled(blockId: BlockId, { ofDrafts = false }: Whose = {}): Promise<OpenBlock | null> {
    await this.#flushNow(blockId);
    return ofDrafts ? this.#openOfDrafts(blockId) : this.#openExisting(blockId);
  }

  /**
   * Buffers text: written at once when a line ends or the buffer is full, otherwise within 100 ms. Every other mutation writes
   * it first, so the returned version is the one that has the text. `joins`: see PendingText.
   */
  append(
    author: Writer,
    blockId: BlockId,
    text: string,
    { joins = false }: { readonly joins?: boolean } = {},
  ): Promise<Result<{ readonly version: number }, Refusal>> {
    const pending = this.#pendingById.get(blockId) ?? new PendingText();
    if (pending.failed !== null) return Promise.resolve(err(pending.failed));
    const open = this.#blocks.get(blockId);
    if (open?.header.deletedAt !== undefined) return this.mutate(flushMutation(author, blockId));
    const closed = open === undefined ? null : closedRefusal(open);
    if (closed !== null) return Promise.resolve(err(closed));
    this.#pendingById.set(blockId, pending);
    pending.add(author, text, { now: this.#ports.clock.monotonic(), joins });
    if (open === undefined || pending.isDue) return this.mutate(flushMutation(author, blockId));
    this.#flushLater(author, blockId, pending);
    return Promise.resolve(ok({ version: open.header.version + (pending.isEmpty ? 0 : 1) }));
  }

  /** Returns the header of a block that is in memory. */
  openHeader(blockId: BlockId): BlockHeader | undefined {
    return this.#blocks.get(blockId)?.header;
  }

  /** Returns the number of the agent's next block in this document. */
  nextSeq(author: Author): Promise<number> {
    return this.#numbers.next(author.replica);
  }

  /** Writes out all buffered text. */
  async flush(): Promise<void> {
    if (this.#pendingById.size === 0) return;
    await this.alone(async () => {
      for (const blockId of this.#pendingById.keys()) await this.#flushNow(blockId);
    });
  }

  /** Writes out everything, waits until the queue is empty, and frees the memory. */
  async close(): Promise<void> {
    for (const blockId of this.#pendingById.keys()) {
      void this.alone(() => this.#flushNow(blockId)).catch((bug: unknown) => this.#report("flush-failed", bug));
    }
    while (this.#draining !== null || this.#maintenance.isBusy)
      await Promise.all([this.#draining, this.#maintenance.settled()]);
    this.#sweep.stop();
    for (const pending of this.#pendingById.values()) pending.clear();
    this.#blocks.clear();
  }

  #enqueue(job: Job): void {
    this.#jobs.add(job);
    if (job.type === "mutate") this.#batcher.arrived(this.#jobs.length + 1);
    else this.#batcher.cancel();
    this.#draining ??= this.#drain();
  }

  async #drain(): Promise<void> {
    // Jobs added in the same microtask share one commit.
    await Promise.resolve();
    let since = this.#ports.clock.monotonic();
    for (let job = this.#jobs.next(); job !== undefined; job = this.#jobs.next()) {
      if (job.type === "alone") await job.run();
      else {
        const batch = this.#batcher.wait(this.feed.audience(job.queued.mutation.blockId), this.#jobs.length + 1);
        if (batch !== null) await batch;
        await this.#commitOrReject(this.#jobs.takeWith(job.queued));
      }
      if (this.#plannedMs > hubLimits.sliceMs / 2) await this.#ports.turns.next();
      // Refused jobs never wait for the disk, so a full queue of them would block the event loop.
      else if (this.#ports.clock.monotonic() - since > hubLimits.sliceMs) await setImmediate();
      else continue;
      this.#plannedMs = 0;
      since = this.#ports.clock.monotonic();
    }
    this.#plannedMs = 0;
    this.#draining = null;
    this.#sweep.rested();
  }

  async #open(blockId: BlockId, revives = false): Promise<OpenBlock | null> {
    const open =
      this.#blocks.get(blockId) ??
      (await loadBlock(this.#ports.store, blockId, { deletedToo: revives, early: this.#ports.early }));
    if (open === null) return null;
    this.#blocks.keep(open);
    return open;
  }

  /** Returns null for a deleted block and for one that never existed. */
  async #openExisting(blockId: BlockId): Promise<OpenBlock | null> {
    const block = await this.#open(blockId);
    return block?.header.deletedAt === undefined ? block : null;
  }

  /** Returns a block that exists or is in the trash; null for one that was purged. */
  async #openTrashed(blockId: BlockId): Promise<OpenBlock | null> {
    const block = await this.#openExisting(blockId);
    if (block !== null || (await this.#ports.store.trashed(blockId)) === null) return block;
    return this.#open(blockId, true);
  }

  /** Returns a block that exists, also for drafts alone. */
  async #openOfDrafts(blockId: BlockId): Promise<OpenBlock | null> {
    const block = await this.#openExisting(blockId);
    if (block !== null) return block;
    const header = await this.#ports.store.block(blockId);
    return header !== null && isOnlyInDraft(header) ? this.#open(blockId, true) : null;
  }

  /** An error rejects the batch's own callers; the queue goes on. */
  async #commitOrReject(batch: readonly QueuedMutation[]): Promise<void> {
    try {
      await this.#commit(batch);
    } catch (bug) {
      this.#report("commit-failed", bug);
      for (const { reject } of batch) reject(bug);
    }
  }

  /**
   * Plans a batch in memory, commits, broadcasts and acknowledges it. A refused batch is rolled back to the stored state.
   */
  async #commit(given: readonly QueuedMutation[], attempt = 1): Promise<void> {
    let batch = given;
    const [first] = batch;
    if (first === undefined) return;
    const { guards, blockId } = first.mutation;
    // A refused guard must not take buffered text with it.
    if (needsOwnCommit(first.mutation)) await this.#flushNow(blockId);
    const draft = beginDraft(guards);
    let plannedMs = 0;
    let heaviest = { replica: first.mutation.author.replica, ms: 0 };
    this.#time.begin();
    for (const [index, queued] of given.entries()) {
      if (plannedMs > hubLimits.sliceMs) {
        batch = given.slice(0, index);
        this.#jobs.putBack(given.slice(index));
        break;
      }
      this.#time.next();
      try {
        const reading = this.#plan(queued, draft);
        if (reading !== null) await reading;
        const { ms, at } = this.#time.lap();
        this.#jobs.spent(queued, ms);
        this.#ports.onSpent({ replica: queued.mutation.author.replica, ms, at });
        plannedMs += ms;
        this.#plannedMs += ms;
        if (ms > heaviest.ms) heaviest = { replica: queued.mutation.author.replica, ms };
      } catch (bug) {
        // The block in memory may be half changed: the batch is planned again without the mutation that threw.
        this.#rollBack(draft);
        queued.reject(bug);
        return this.#commit(
          batch.filter((other) => other !== queued),
          attempt,
        );
      }
    }
    if (draft.changes.length > 0) {
      let committed: Result<void, StoreRefusal>;
      try {
        committed = await this.#store(draft, heaviest.replica);
      } catch (bug) {
        this.#rollBack(draft);
        // Nothing was committed. Each mutation is tried alone, so that one bad mutation does not fail the others.
        if (batch.length === 1) first.reject(bug);
        else for (const one of batch) await this.#commit([one], attempt);
        return;
      }
      if (!committed.ok) return this.#afterRefusedCommit(draft, committed.error, attempt);
      this.#afterCommit(draft);
    }
    for (const planned of draft.planned) {
      const answered = this.#answer(planned);
      if (answered !== null) await answered;
    }
  }

  /** Commits a draft. The time until the store has its writes is the time of whoever took longest to plan. */
  #store({ writes }: CommitDraft, heaviest: ReplicaId): Promise<Result<void, StoreRefusal>> {
    this.#time.next();
    const committed = this.#ports.store.commit(writes);
    const { ms, at } = this.#time.lap();
    this.#plannedMs += ms;
    if (ms > 1) this.#ports.onSpent({ replica: heaviest, ms, at });
    return committed;
  }

  /** Plans a mutation of an open block at once (the common case); otherwise resolves after reading from the store. */
  #plan(queued: QueuedMutation, draft: CommitDraft): Promise<void> | null {
    const { blockId, creates, needsLedger, prepare } = queued.mutation;
    const block = this.#blocks.get(blockId);
    const isReady = creates === undefined && needsLedger !== true && prepare === undefined;
    // A deleted block is handled like one that never existed.
    if (block === undefined || block.header.deletedAt !== undefined || !isReady)
      return this.#readAndPlan(queued, draft);
    this.#blocks.used(block);
    draft.touched.add(block);
    this.#planner.plan(block, queued, draft);
    return null;
  }

  async #readAndPlan(queued: QueuedMutation, draft: CommitDraft): Promise<void> {
    const { mutation } = queued;
    const writesFrom = draft.writes.length;
    const block = mutation.creates?.() ?? (await this.#openFor(mutation));
    if (block === null) {
      this.#pendingById.get(mutation.blockId)?.clear();
      this.#pendingById.delete(mutation.blockId);
      const missing = err(await whyMissing(this.#ports.store, mutation.blockId));
      this.#time.begin();
      draft.planned.push({ queued, outcome: missing, writesFrom, writesEnd: writesFrom });
      return;
    }
    draft.touched.add(block);
    if (mutation.needsLedger === true) await block.openLedger(this.#ports.store, this.#ports.ownerOf);
    // Others have used this thread while the store was read: what they did is not the author's.
    this.#time.begin();
    await mutation.prepare?.(block);
    this.#planner.plan(block, queued, draft);
  }

  #openFor({ blockId, revives, ofDrafts }: Mutation): Promise<OpenBlock | null> {
    if (revives === true) return this.#openTrashed(blockId);
    return ofDrafts === true ? this.#openOfDrafts(blockId) : this.#openExisting(blockId);
  }

  #afterCommit(draft: CommitDraft): void {
    for (const block of draft.touched) this.#blocks.keep(block);
    try {
      const headers = [...draft.touched].map((block) => block.header);
      this.#ports.onCommitted(headers, draft.changes);
    } catch (bug) {
      // The commit is on disk and must still be acknowledged.
      this.#report("watcher-failed", bug);
    }
    for (const { queued, outcome } of draft.planned) {
      if (queued.mutation.closes) this.#pendingById.delete(queued.mutation.blockId);
      if (queued.mutation.leavesMemory && outcome.ok) this.#blocks.forget(queued.mutation.blockId);
    }
    for (const { blockId, pending } of draft.flushed) {
      if (pending.isEmpty && pending.failed === null) this.#pendingById.delete(blockId);
    }
    this.feed.publish(draft.changes);
    if (draft.threads.length > 0) this.#ports.onThreads(draft.threads);
    for (const block of draft.touched) {
      this.#maintenance.changed(block);
    }
  }

  /** Answers after the commit: at once, or after a read of the store. */
  #answer({ queued, outcome, writesFrom, writesEnd }: PlannedMutation): Promise<void> | null {
    const { requestId } = queued.mutation;
    if (requestId !== undefined && writesFrom === writesEnd)
      return this.#answerPerhapsRepeated(queued, requestId, outcome);
    queued.resolve(outcome);
    return null;
  }

  /** A request without an effect may be a repeat of one that succeeded and whose answer was lost. */
  async #answerPerhapsRepeated(
    { mutation, resolve, reject }: QueuedMutation,
    requestId: RequestId,
    outcome: Result<Applied, Refusal>,
  ): Promise<void> {
    try {
      const version = await this.#ports.store.requestVersion(mutation.blockId, requestId);
      resolve(version === null ? outcome : ok({ version, repeated: true }));
    } catch (bug) {
      reject(bug);
    }
  }

  /** Rolls memory back to the store after a refused commit, and retries the mutations that can still succeed. */
  async #afterRefusedCommit(draft: CommitDraft, refused: StoreRefusal, attempt: number): Promise<void> {
    this.#rollBack(draft);
    const queued = draft.planned.map((planned) => planned.queued);
    switch (refused.code) {
      case "DUPLICATE_REQUEST": {
        const repeated = must(
          draft.planned.find((planned) => planned.writesFrom <= refused.index && refused.index < planned.writesEnd),
          "the refused write is one of the commit's",
        ).queued;
        repeated.resolve(ok({ version: refused.version, repeated: true }));
        return this.#commit(
          queued.filter((other) => other !== repeated),
          attempt,
        );
      }
      case "CONFLICT":
        // Another writer changed a block of this document. After several attempts, another process must own it.
        if (attempt >= commitAttemptsMax) break;
        for (const one of queued) await this.#commit([one], attempt + 1);
        return;
      case "LOCK_NOT_AVAILABLE":
      case "LOCK_NOT_OWNED":
      case "LEASE_EXPIRED":
      case "STALE_EPOCH":
        break;
      case "STORE_FULL":
      case "STORE_FAILED":
        this.#ports.logger.error("document-commit-failed", { document: this.documentId, code: refused.code });
        for (const { pending } of draft.flushed) {
          pending.clear();
          pending.failed = refusal(refused.code);
        }
        break;
      default:
        return unreachable(refused);
    }
    for (const one of queued) one.resolve(err(refusal(refused.code)));
  }

  #rollBack(draft: CommitDraft): void {
    for (const block of draft.touched) this.#blocks.forget(block.id);
    for (const { blockId, pending, segments } of draft.flushed.toReversed()) {
      pending.failed = null;
      pending.putBack(segments);
      const [first] = segments;
      if (first !== undefined) this.#flushLater(first.author, blockId, pending);
    }
  }

  async #flushNow(blockId: BlockId): Promise<void> {
    const pending = this.#pendingById.get(blockId);
    const author = pending?.author;
    if (author !== undefined) await this.mutateNow(flushMutation(author, blockId));
  }

  #flushLater(author: Author, blockId: BlockId, pending: PendingText): void {
    pending.cancelTimer ??= this.#ports.ticks.next(() => {
      this.mutate(flushMutation(author, blockId)).catch((bug: unknown) => this.#report("append-flush-failed", bug));
    });
  }

  #report(event: string, bug: unknown): void {
    this.#ports.logger.error(event, { document: this.documentId, reason: String(bug) });
  }
}
