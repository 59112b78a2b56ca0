import { assert } from "../../core/base/assert.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { BlockId, LeaseId, RunId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { checkLease, freeLease, holderAt, transition, type LeaseInstant } from "../../core/lease/transition.ts";
import { leaseTtlMsDefault, outsideLeaseTtlMsDefault, type HeldLease, type Lease } from "../../core/lease/types.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { LeaseWrite, Store, StoreRefusal, StoreWrite } from "../../core/port/store.ts";
import { isOutsideRun, isPersonsRun } from "./outside-runs.ts";
import { isDraftPlace, leasePlace } from "./lease-place.ts";
import { newLeaseId } from "./new-lease-id.ts";
import { ranOut } from "./ran-out.ts";
import { newestViews, type ShownView } from "./shown-views.ts";
import type { LeasedWrite, LeaseGrant, LeaseKeeper, LeaseStatus, LeaseUsage, LeaseUse, ShownLease } from "./types.ts";

export interface LeaseKeeperOptions {
  /** Lifetime of a lease after its holder's last sign of life. Milliseconds. */
  readonly ttlMs?: number;
  /** The same for outside agents, which have no heartbeat between two calls. */
  readonly outsideTtlMs?: number;
}

/**
 * Opens the keeper. Ends every lease of an earlier process under a new epoch; while the disk refuses that write, the store
 * learns of it with the canvas's next lease.
 */
export async function openLeaseKeeper(
  store: Store,
  platform: Platform,
  options: LeaseKeeperOptions = {},
): Promise<LeaseKeeper> {
  const leases: Lease[] = [];
  const writes: PreemptWrite[] = [];
  for (const stored of await store.leases()) {
    const restarted = transition(stored, { type: "restarted" });
    assert(restarted.ok, "a restart is never refused");
    leases.push(restarted.value);
    if (restarted.value !== stored) {
      writes.push({ type: "preempt-lease", canvasId: stored.canvasId, epoch: restarted.value.epoch });
    }
  }
  const committed = writes.length === 0 ? ok(undefined) : await store.commit(writes);
  if (!committed.ok) platform.logger.error("leases-not-ended", { code: committed.error.code });
  const { ttlMs = leaseTtlMsDefault, outsideTtlMs = outsideLeaseTtlMsDefault } = options;
  return new Keeper({ store, platform, leases, unwritten: committed.ok ? [] : writes, ttlMs, outsideTtlMs });
}

type PreemptWrite = Extract<LeaseWrite, { readonly type: "preempt-lease" }>;

interface KeeperParts {
  readonly store: Store;
  readonly platform: Platform;
  readonly leases: readonly Lease[];
  /** Ends of leases that are not in the store yet. */
  readonly unwritten: readonly PreemptWrite[];
  readonly ttlMs: number;
  readonly outsideTtlMs: number;
}

class Keeper implements LeaseKeeper {
  readonly #store: Store;
  readonly #platform: Platform;
  readonly #ttlMs: number;
  readonly #outsideTtlMs: number;
  /** The leases as stored, or as being stored; canvases that were never checked out are missing. */
  readonly #leasesByCanvas: Map<BlockId, Lease>;
  readonly #unwrittenByCanvas: Map<BlockId, PreemptWrite>;
  /** The few canvases with a holder, or whose lease has just expired. */
  readonly #heldCanvases = new Set<BlockId>();
  readonly #grantsById = new Map<LeaseId, LeaseGrant>();
  readonly #listeners = new Set<(status: LeaseStatus) => void>();
  /** The last change of each canvas's queue. */
  readonly #tailsByCanvas = new Map<BlockId, Promise<unknown>>();
  /** Renewals that are being written. */
  readonly #renewalsById = new Map<LeaseId, ReturnType<LeaseKeeper["renew"]>>();
  /** The reads and writes of runs under all their leases of a turn. */
  readonly #usageByRun = new Map<RunId, LeaseUsage>();
  /** Leases that people ended, oldest first: their runs may still try to write. */
  readonly #takenLeases = new Set<LeaseId>();
  readonly #cancelTimerByCanvas = new Map<BlockId, () => void>();

  constructor({ store, platform, leases, unwritten, ttlMs, outsideTtlMs }: KeeperParts) {
    this.#store = store;
    this.#platform = platform;
    this.#ttlMs = ttlMs;
    this.#outsideTtlMs = outsideTtlMs;
    this.#leasesByCanvas = new Map(leases.map((lease) => [lease.canvasId, lease]));
    this.#unwrittenByCanvas = new Map(unwritten.map((write) => [write.canvasId, write]));
  }

  status(canvasId: BlockId): LeaseStatus {
    const lease = this.#lease(canvasId);
    const held = holderAt(lease, this.#platform.clock.monotonic());
    return { canvasId, epoch: lease.epoch, held: held === null ? null : this.#shown(held) };
  }

  isHeld(canvasId: BlockId): boolean {
    return this.status(canvasId).held !== null;
  }

  onChange(listener: (status: LeaseStatus) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  acquire(request: Parameters<LeaseKeeper["acquire"]>[0]): ReturnType<LeaseKeeper["acquire"]> {
    const { runId, holderName, revisionId, draftId = null } = request;
    const canvasId = leasePlace(request.canvasId, draftId);
    return this.#inQueue(canvasId, async () => {
      const stored = this.#leasesByCanvas.get(canvasId);
      const at = this.#instant();
      const decided = transition(stored ?? freeLease(canvasId), {
        type: "checked-out",
        holder: runId,
        holderName,
        leaseId: newLeaseId(runId, this.#platform),
        revisionId,
        at,
        ttlMs: this.#ttlOf(runId),
      });
      if (!decided.ok) return decided;
      const { held } = decided.value;
      assert(held !== null, "a lease that was checked out is held");
      const lease = decided.value;
      const { epoch } = lease;
      const kept = stored?.held?.leaseId === held.leaseId;
      const refused = await this.#commit({
        type: kept ? "renew-lease" : "acquire-lease",
        lease,
        monotonicMs: at.monotonicMs,
      });
      if (refused !== null) return err(refused);
      const before = this.#grantsById.get(held.leaseId);
      this.#grantsById.set(held.leaseId, {
        leaseId: held.leaseId,
        canvasId: request.canvasId,
        draftId,
        runId,
        epoch,
        since: before?.since ?? at.wallMs,
        lastRevisionId: revisionId,
        lastWriteVersion: before?.lastWriteVersion ?? null,
        lastPatchHash: before?.lastPatchHash ?? null,
        views: before?.views ?? [],
        givenBack: false,
      });
      this.#noteUse(runId);
      this.#set(lease);
      if (isOutsideRun(runId) || isPersonsRun(runId)) this.#dropOldGrants(runId);
      return ok({ ...held, epoch });
    });
  }

  async use(use: LeaseUse): Promise<Result<LeaseGrant, Refusal>> {
    const held = this.#check(use);
    if (!held.ok) return held;
    this.#noteUse(use.runId);
    if (this.#isRenewalDue(held.value)) {
      const renewed = await this.#renewOnce(use);
      if (!renewed.ok) return renewed;
    }
    const grant = this.#grantsById.get(use.leaseId);
    return grant === undefined ? err(refusal("LOCK_NOT_OWNED", { lease_id: use.leaseId })) : ok(grant);
  }

  async renew(use: LeaseUse): ReturnType<LeaseKeeper["renew"]> {
    const canvasId = this.#placeOf(use);
    const at = this.#instant();
    const claim = this.#claim(use);
    const decided = transition(this.#lease(canvasId), {
      type: "renewed",
      claim,
      at,
      ttlMs: this.#ttlOf(use.runId),
    });
    if (!decided.ok) return decided;
    assert(decided.value.held !== null, "a renewed lease is held");
    const shown = this.#grantsById.get(use.leaseId)?.lastRevisionId ?? decided.value.held.lastRevisionId;
    const held = { ...decided.value.held, lastRevisionId: shown };
    const lease = { ...decided.value, held };
    const refused = await this.#commit({ type: "renew-lease", lease, monotonicMs: at.monotonicMs });
    if (refused !== null) return err(refused);
    const current = this.#leasesByCanvas.get(canvasId);
    // A call that ended the lease during this write has already notified the listeners.
    if (current?.epoch === lease.epoch && current.held?.leaseId === use.leaseId) this.#set(lease);
    return ok({ ...held, epoch: lease.epoch });
  }

  guard(grant: LeaseGrant): StoreWrite {
    return {
      type: "guard-lease",
      canvasId: leasePlace(grant.canvasId, grant.draftId),
      leaseId: grant.leaseId,
      holder: grant.runId,
      epoch: grant.epoch,
      monotonicMs: this.#platform.clock.monotonic(),
    };
  }

  noteRevision(leaseId: LeaseId, revisionId: string): void {
    const grant = this.#grantsById.get(leaseId);
    if (grant !== undefined) this.#grantsById.set(leaseId, { ...grant, lastRevisionId: revisionId });
  }

  noteWrite(leaseId: LeaseId, { revisionId, version, patchHash }: LeasedWrite): void {
    const grant = this.#grantsById.get(leaseId);
    if (grant === undefined) return;
    const written = { lastRevisionId: revisionId, lastWriteVersion: version, lastPatchHash: patchHash };
    this.#grantsById.set(leaseId, { ...grant, ...written });
  }

  noteView(leaseId: LeaseId, view: ShownView): void {
    const grant = this.#grantsById.get(leaseId);
    if (grant === undefined) return;
    const others = grant.views.filter(({ revisionId }) => revisionId !== view.revisionId);
    const views = newestViews([...others, view]);
    this.#grantsById.set(leaseId, { ...grant, lastRevisionId: view.revisionId, views });
  }

  noteSuggested(leaseId: LeaseId, { view, patchHash }: Parameters<LeaseKeeper["noteSuggested"]>[1]): void {
    const { revisionId, version } = view;
    this.noteWrite(leaseId, { revisionId, version, patchHash });
    const grant = this.#grantsById.get(leaseId);
    if (grant !== undefined) this.#grantsById.set(leaseId, { ...grant, views: [view] });
  }

  async wasTaken({ canvasId: of, draftId, leaseId, epoch }: LeaseGrant): Promise<boolean> {
    const canvasId = leasePlace(of, draftId);
    if (this.#takenLeases.has(leaseId)) return true;
    if (this.#lease(canvasId).epoch > epoch) return false;
    // A person's act is on disk before listeners hear of it.
    const stored = await this.#store.lease(canvasId);
    return stored !== null && stored.held === null && stored.epoch > epoch;
  }

  grant(leaseId: LeaseId): LeaseGrant | undefined {
    return this.#grantsById.get(leaseId);
  }

  grantOf(runId: RunId, canvasId: BlockId): LeaseGrant | undefined {
    // Newest first: a run may have checked the canvas out again after its first lease ended.
    return [...this.#grantsById.values()].findLast((grant) => grant.runId === runId && grant.canvasId === canvasId);
  }

  release(use: LeaseUse): Promise<Result<void, Refusal>> {
    const { leaseId, runId } = use;
    const canvasId = this.#placeOf(use);
    return this.#inQueue(canvasId, async () => {
      const lease = this.#lease(canvasId);
      if (lease.held?.leaseId !== leaseId || lease.held.holder !== runId) return ok(undefined);
      const released = transition(lease, { type: "checked-in", leaseId });
      assert(released.ok, "giving a lease back is never refused");
      const refused = await this.#commit({ type: "release-lease", canvasId, leaseId });
      if (refused !== null) return err(refused);
      const grant = this.#grantsById.get(leaseId);
      if (grant !== undefined) this.#grantsById.set(leaseId, { ...grant, givenBack: true });
      this.#endIn(canvasId, released.value);
      return ok(undefined);
    });
  }

  async releaseAll(runId: RunId): Promise<void> {
    for (const { canvasId, held } of this.#heldBy([runId])) {
      const released = await this.release({ canvasId, leaseId: held.leaseId, runId });
      // The lease expires by itself.
      if (!released.ok) this.#platform.logger.warn("lease-release-failed", { code: released.error.code });
    }
    for (const [leaseId, grant] of this.#grantsById) if (grant.runId === runId) this.#grantsById.delete(leaseId);
    this.#usageByRun.delete(runId);
  }

  takeControl(canvasId: BlockId): ReturnType<LeaseKeeper["takeControl"]> {
    return this.#inQueue(canvasId, async () => {
      const lease = this.#lease(canvasId);
      const holder = holderAt(lease, this.#platform.clock.monotonic());
      const ended = transition(lease, { type: "preempted", holders: null });
      assert(ended.ok, "a person is never refused");
      if (ended.value === lease) return ok({ epoch: lease.epoch, runId: null });
      const refused = await this.#commit({ type: "preempt-lease", canvasId, epoch: ended.value.epoch });
      if (refused !== null) return err(refused);
      this.#endIn(canvasId, ended.value);
      return ok({ epoch: ended.value.epoch, runId: holder?.holder ?? null });
    });
  }

  async endWhere(matches: (runId: RunId) => boolean): Promise<void> {
    for (const canvasId of this.#heldCanvases) {
      const { held } = this.#lease(canvasId);
      if (held !== null && matches(held.holder)) await this.takeControl(canvasId);
    }
  }

  preemptWrites(runIds: readonly RunId[]): readonly LeaseWrite[] {
    return this.#heldBy(runIds).map(({ canvasId, epoch }) => ({ type: "preempt-lease", canvasId, epoch: epoch + 1 }));
  }

  async preempted(runIds: readonly RunId[]): Promise<void> {
    const stored = await Promise.all(this.#heldBy(runIds).map(async ({ canvasId }) => this.#store.lease(canvasId)));
    for (const lease of stored) if (lease !== null && lease.held === null) this.#endIn(lease.canvasId, lease);
    // A check-out that ran while the person's act was written is ended by its own write.
    await Promise.all(this.#tailsByCanvas.values());
    for (const { canvasId, epoch } of this.#heldBy(runIds)) {
      const refused = await this.#commit({ type: "preempt-lease", canvasId, epoch: epoch + 1 });
      if (refused === null) this.#endIn(canvasId, { canvasId, epoch: epoch + 1, held: null });
      else this.#platform.logger.error("lease-preempt-failed", { code: refused.code });
    }
  }

  usage(runId: RunId): LeaseUsage | null {
    return this.#heldBy([runId]).length === 0 ? null : (this.#usageByRun.get(runId) ?? null);
  }

  heartbeat(runId: RunId): void {
    for (const { canvasId, held } of this.#heldBy([runId])) {
      const { leaseId } = held;
      if (!this.#isRenewalDue(held) || this.#renewalsById.has(leaseId)) continue;
      this.#renewOnce({ canvasId, leaseId, runId }).catch((bug: unknown) =>
        this.#platform.logger.error("lease-renewal-failed", { reason: String(bug) }),
      );
    }
  }

  /** Joins a renewal that is being written: a heartbeat and the use right after it share one write. */
  #renewOnce(use: LeaseUse): ReturnType<LeaseKeeper["renew"]> {
    const { leaseId } = use;
    const running = this.#renewalsById.get(leaseId);
    if (running !== undefined) return running;
    const renewal = this.renew(use).finally(() => this.#renewalsById.delete(leaseId));
    this.#renewalsById.set(leaseId, renewal);
    return renewal;
  }

  close(): void {
    for (const cancel of this.#cancelTimerByCanvas.values()) cancel();
    this.#cancelTimerByCanvas.clear();
    this.#listeners.clear();
  }

  #lease(canvasId: BlockId): Lease {
    return this.#leasesByCanvas.get(canvasId) ?? freeLease(canvasId);
  }

  #shown(held: HeldLease): ShownLease {
    const renewedAt = held.expiresAt - this.#ttlOf(held.holder);
    return { ...held, since: this.#grantsById.get(held.leaseId)?.since ?? renewedAt, renewedAt };
  }

  #check(use: LeaseUse): Result<HeldLease, Refusal> {
    const lease = this.#lease(this.#placeOf(use));
    const checked = checkLease(lease, this.#claim(use), this.#platform.clock.monotonic());
    if (checked.ok || checked.error.code !== "STALE_EPOCH" || this.#takenLeases.has(use.leaseId)) return checked;
    return err(ranOut(checked.error.details));
  }

  /** Returns where the lease is stored: a caller names the canvas, also of a draft. */
  #placeOf({ canvasId, leaseId }: LeaseUse): BlockId {
    const grant = this.#grantsById.get(leaseId);
    return grant?.canvasId === canvasId ? leasePlace(canvasId, grant.draftId) : canvasId;
  }

  /** Returns the epoch that a lease id proves until its run releases it, or a refusal. */
  #claim({ canvasId, leaseId, runId }: LeaseUse) {
    const grant = this.#grantsById.get(leaseId);
    const isHere = grant?.canvasId === canvasId || (grant && leasePlace(grant.canvasId, grant.draftId) === canvasId);
    const own = grant !== undefined && isHere === true && grant.runId === runId && !grant.givenBack;
    return { leaseId, holder: runId, epoch: own ? grant.epoch : null };
  }

  #isRenewalDue(held: HeldLease): boolean {
    const ttlMs = this.#ttlOf(held.holder);
    const renewedAt = held.expiresAtMonotonicMs - ttlMs;
    return this.#platform.clock.monotonic() - renewedAt >= ttlMs / renewalsPerTtl;
  }

  #ttlOf(holder: RunId): number {
    return isOutsideRun(holder) ? this.#outsideTtlMs : this.#ttlMs;
  }

  /** Drops the oldest grants of an outside agent or a person, who have no turn whose end drops them. */
  #dropOldGrants(runId: RunId): void {
    const ended = [...this.#grantsById.values()].filter(
      (grant) =>
        grant.runId === runId && this.#lease(leasePlace(grant.canvasId, grant.draftId)).held?.leaseId !== grant.leaseId,
    );
    const surplus = Math.max(0, ended.length - outsideGrantsMax);
    for (const { leaseId } of ended.slice(0, surplus)) this.#grantsById.delete(leaseId);
  }

  #heldBy(runIds: readonly RunId[]): readonly (Lease & { readonly held: HeldLease })[] {
    const found: (Lease & { readonly held: HeldLease })[] = [];
    for (const canvasId of this.#heldCanvases) {
      const lease = this.#lease(canvasId);
      if (lease.held !== null && runIds.includes(lease.held.holder)) found.push({ ...lease, held: lease.held });
    }
    return found;
  }

  #instant(): LeaseInstant {
    return { monotonicMs: this.#platform.clock.monotonic(), wallMs: this.#platform.clock.now() };
  }

  /** Runs the changes of one canvas one after the other. */
  #inQueue<Value>(canvasId: BlockId, work: () => Promise<Value>): Promise<Value> {
    const before = this.#tailsByCanvas.get(canvasId) ?? Promise.resolve();
    const done = before.then(work);
    const tail = done.then(nothing, nothing).then(() => {
      if (this.#tailsByCanvas.get(canvasId) === tail) this.#tailsByCanvas.delete(canvasId);
    });
    this.#tailsByCanvas.set(canvasId, tail);
    return done;
  }

  /** Commits one lease change; where memory and store differ, memory follows the store. */
  async #commit(write: LeaseWrite): Promise<Refusal | null> {
    const { canvasId } = "lease" in write ? write.lease : write;
    const end = this.#unwrittenByCanvas.get(canvasId);
    const committed = await this.#store.commit(end === undefined ? [write] : [end, write]);
    if (committed.ok) {
      this.#unwrittenByCanvas.delete(canvasId);
      return null;
    }
    const refused: StoreRefusal = committed.error;
    if ("lease" in refused && refused.lease !== null) this.#set(refused.lease);
    return refusal(refused.code === "DUPLICATE_REQUEST" ? "INTERNAL" : refused.code);
  }

  /** Records that a lease ended, unless a newer epoch is already known. */
  #endIn(canvasId: BlockId, lease: Lease): void {
    if (lease.epoch >= this.#lease(canvasId).epoch) this.#set(lease);
  }

  #set(lease: Lease): void {
    const before = this.#lease(lease.canvasId);
    // Only an end by force frees a canvas and raises its epoch at once.
    if (lease.held === null && before.held !== null && lease.epoch > before.epoch) this.#noteTaken(before.held.leaseId);
    this.#leasesByCanvas.set(lease.canvasId, lease);
    if (lease.held === null) this.#heldCanvases.delete(lease.canvasId);
    else this.#heldCanvases.add(lease.canvasId);
    this.#notify(lease.canvasId);
    if (lease.held !== null) this.#awaitExpiry(lease.canvasId, lease.held);
  }

  #noteUse(runId: RunId): void {
    const count = (this.#usageByRun.get(runId)?.count ?? 0) + 1;
    this.#usageByRun.set(runId, { count, lastAt: this.#platform.clock.monotonic() });
  }

  #noteTaken(leaseId: LeaseId): void {
    this.#takenLeases.add(leaseId);
    const [oldest] = this.#takenLeases;
    if (this.#takenLeases.size > takenLeasesMax && oldest !== undefined) this.#takenLeases.delete(oldest);
  }

  /** Keeps one timer for each canvas; the timer starts again when the lease was renewed meanwhile. */
  #awaitExpiry(canvasId: BlockId, held: HeldLease): void {
    if (this.#cancelTimerByCanvas.has(canvasId)) return;
    const delay = Math.max(0, held.expiresAtMonotonicMs - this.#platform.clock.monotonic());
    const cancel = this.#platform.clock.setTimer(delay, () => {
      this.#cancelTimerByCanvas.delete(canvasId);
      const current = this.#lease(canvasId);
      if (current.held === null) return;
      if (holderAt(current, this.#platform.clock.monotonic()) === null) this.#notify(canvasId);
      else this.#awaitExpiry(canvasId, current.held);
    });
    this.#cancelTimerByCanvas.set(canvasId, cancel);
  }

  #notify(canvasId: BlockId): void {
    if (isDraftPlace(canvasId)) return;
    const status = this.status(canvasId);
    for (const listener of this.#listeners) {
      try {
        listener(status);
      } catch (bug) {
        this.#platform.logger.error("lease-listener-failed", { reason: String(bug) });
      }
    }
  }
}

/**
 * Maximum number of remembered leases that people ended. A stopped run is over within moments, so a thousand is far more
 * than needed.
 */
const takenLeasesMax = 1_000;

/** Maximum number of ended grants that are kept of an outside agent, so that a late write learns why it is refused. */
const outsideGrantsMax = 64;

/** How many times a busy holder's lease is written within its lifetime, at most. */
const renewalsPerTtl = 5;

function nothing(): void {
  // The failed change has reported to its own caller; the next change does not depend on it.
}
