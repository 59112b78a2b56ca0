import type { Actor, ModelActor } from "../../core/base/actor.ts";
import { must } from "../../core/base/assert.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { RunId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { Clock } from "../../core/port/platform.ts";
import type { ReplicaRecord, Store, StoreWrite } from "../../core/port/store.ts";
import type { ReplicaId } from "../../core/text/types.ts";
import { clientKey } from "../base/client-key.ts";
import { metaKeys } from "../base/meta-keys.ts";
import { notStored, NotStoredError } from "../base/store-refusal.ts";

/**
 * Assigns the numbers of editing replicas: stored before they write anything, never reused. `forClient` and `forRun` reject
 * with a NotStoredError where a new number cannot be stored.
 */
export interface Replicas {
  /** Returns the number of a page: the same client and person get the same one again, also after a restart. */
  forClient(clientId: string, actor: Actor): Promise<ReplicaId>;
  /**
   * Returns the number of a page that has come and may never write: the one that is stored for it, else a reserved one, which
   * `keep` stores. Pages thus come in while the disk is full, and those that only read leave nothing behind. STORE_FULL or
   * STORE_FAILED where no number can be reserved. Each call is matched by one of `leave`.
   */
  introduce(clientId: string, actor: Actor): Promise<Result<ReplicaId, Refusal>>;
  /**
   * Stores a reserved number, before the first thing it writes; does nothing for a stored one. CONFLICT where the number turns
   * out to be taken by a damaged record: the page has to come again for another.
   */
  keep(replica: ReplicaId): Promise<Result<void, Refusal>>;
  /** The page is gone. Its reserved number stays its own for a while, for a page whose connection broke. */
  leave(replica: ReplicaId): void;
  /** Returns the number of a model's run: one for each run, so that blame leads to it. */
  forRun(actor: ModelActor): Promise<ReplicaId>;
  /**
   * Returns the number of the server replica that writes for a page: the page numbers its own operations, so nobody else may
   * make one under its number.
   */
  serverReplicaOf(replica: ReplicaId): Promise<Result<ReplicaId, Refusal>>;
  /** Returns the page that a server replica writes for; any other number owns itself. */
  ownerOf(replica: ReplicaId): Promise<ReplicaId>;
  /** Returns whose number this is; undefined for a number that was never assigned. */
  actorOf(replica: ReplicaId): Actor | undefined;
}

/** Loads every number of the store; later reads need only memory. */
export async function createReplicas(store: Store, clock: Clock): Promise<Replicas> {
  const until = (await store.meta(metaKeys.reservedReplicas))?.["until"];
  return new ReplicaRegistry(store, clock, await store.replicas(), typeof until === "number" ? until : 0);
}

/** A number that nothing was written under yet. */
interface Reserved {
  readonly replica: ReplicaId;
  readonly key: string;
  readonly actor: Actor;
  /** Connections that use it. */
  users: number;
  keeping: Promise<Result<void, Refusal>> | null;
}

/** How many numbers one write reserves: as many pages come in while nothing can be written. A restart skips what is left. */
const reservedAtOnce = 64;
/** Reserved numbers whose pages are gone and may come back. */
const leftMax = 1_000;

class ReplicaRegistry implements Replicas {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #actorsByReplica: Map<ReplicaId, Actor>;
  readonly #replicasByRun = new Map<RunId, ReplicaId>();
  readonly #foundByKey = new Map<string, Promise<Result<ReplicaId, Refusal>>>();
  readonly #reservedByKey = new Map<string, Reserved>();
  readonly #reserved = new Map<ReplicaId, Reserved>();
  /** Keys of reserved numbers that nobody uses, the one that is gone longest first. */
  readonly #left = new Set<string>();
  #reserving: Promise<Result<void, Refusal>> | null = null;
  /** The last number that no later start assigns. */
  #reservedUntil: number;
  #last: number;

  constructor(store: Store, clock: Clock, records: readonly ReplicaRecord[], reservedUntil: number) {
    this.#store = store;
    this.#clock = clock;
    this.#actorsByReplica = new Map(records.map((record) => [record.replica, record.actor]));
    for (const { replica, actor } of records) if (actor.type === "model") this.#replicasByRun.set(actor.runId, replica);
    this.#last = records.reduce((max, record) => Math.max(max, record.replica), reservedUntil);
    this.#reservedUntil = reservedUntil;
  }

  async forClient(clientId: string, actor: Actor): Promise<ReplicaId> {
    const key = metaKeys.replicaOfClient(clientKey(clientId, actor));
    const found = await this.#once(key, async () => {
      const reserved = this.#reservedByKey.get(key);
      if (reserved !== undefined) {
        const kept = await this.keep(reserved.replica);
        return kept.ok ? ok(reserved.replica) : kept;
      }
      const known = await this.#storedUnder(key);
      return known === null ? this.#register(actor, (replica) => [replicaMeta(key, replica)]) : ok(known);
    });
    // The store has the number now; a thousand clients that came once need no memory here.
    this.#foundByKey.delete(key);
    return stored(found);
  }

  async introduce(clientId: string, actor: Actor): Promise<Result<ReplicaId, Refusal>> {
    const key = metaKeys.replicaOfClient(clientKey(clientId, actor));
    const found = await this.#once(key, async () => {
      const reserved = this.#reservedByKey.get(key);
      if (reserved !== undefined) return ok(reserved.replica);
      const known = await this.#storedUnder(key);
      return known === null ? this.#reserve(key, actor) : ok(known);
    });
    this.#foundByKey.delete(key);
    if (!found.ok) return found;
    const reserved = this.#reserved.get(found.value);
    if (reserved !== undefined) {
      reserved.users += 1;
      this.#left.delete(reserved.key);
    }
    return found;
  }

  async keep(replica: ReplicaId): Promise<Result<void, Refusal>> {
    const reserved = this.#reserved.get(replica);
    if (reserved === undefined) return done;
    reserved.keeping ??= this.#keep(reserved).finally(() => {
      reserved.keeping = null;
    });
    return reserved.keeping;
  }

  leave(replica: ReplicaId): void {
    const reserved = this.#reserved.get(replica);
    if (reserved === undefined) return;
    reserved.users -= 1;
    if (reserved.users > 0) return;
    this.#left.add(reserved.key);
    const [oldest] = this.#left;
    if (this.#left.size > leftMax && oldest !== undefined) this.#drop(must(this.#reservedByKey.get(oldest), oldest));
  }

  async forRun(actor: ModelActor): Promise<ReplicaId> {
    const found = await this.#once(`run/${actor.runId}`, async () => {
      const known = this.#replicasByRun.get(actor.runId);
      if (known !== undefined) return ok(known);
      // The record is for the whole run; each change names its own call.
      const { toolCallId: _call, ...ofRun } = actor;
      const registered = await this.#register(ofRun, () => []);
      if (registered.ok) this.#replicasByRun.set(actor.runId, registered.value);
      return registered;
    });
    return stored(found);
  }

  serverReplicaOf(owner: ReplicaId): Promise<Result<ReplicaId, Refusal>> {
    const key = metaKeys.serverReplicaOf(owner);
    return this.#once(key, async () => {
      const known = await this.#storedUnder(key);
      if (known !== null) return ok(known);
      const actor = must(this.#actorsByReplica.get(owner), `the replica ${owner} is known`);
      return this.#register(actor, (serverReplica) => [
        replicaMeta(key, serverReplica),
        replicaMeta(metaKeys.pageReplicaOf(serverReplica), owner),
      ]);
    });
  }

  async ownerOf(replica: ReplicaId): Promise<ReplicaId> {
    return (await this.#storedUnder(metaKeys.pageReplicaOf(replica))) ?? replica;
  }

  actorOf(replica: ReplicaId): Actor | undefined {
    return this.#actorsByReplica.get(replica);
  }

  async #keep(reserved: Reserved): Promise<Result<void, Refusal>> {
    const { replica, key, actor } = reserved;
    const committed = await this.#store.commit([
      { type: "put-replica", replica: { replica, actor, createdAt: this.#clock.now() } },
      replicaMeta(key, replica),
    ]);
    if (committed.ok) {
      this.#forget(reserved);
      return done;
    }
    if (committed.error.code !== "CONFLICT") return err(notStored(committed.error));
    this.#drop(reserved);
    return err(refusal("CONFLICT", { reason: `the replica number ${replica} is taken` }));
  }

  /** Takes the next number for a page, without a record. */
  async #reserve(key: string, actor: Actor): Promise<Result<ReplicaId, Refusal>> {
    while (this.#last >= this.#reservedUntil) {
      this.#reserving ??= this.#reserveMore().finally(() => {
        this.#reserving = null;
      });
      const more = await this.#reserving;
      if (!more.ok) return more;
    }
    this.#last += 1;
    const reserved: Reserved = { replica: this.#last as ReplicaId, key, actor, users: 0, keeping: null };
    this.#reservedByKey.set(key, reserved);
    this.#reserved.set(reserved.replica, reserved);
    this.#actorsByReplica.set(reserved.replica, actor);
    return ok(reserved.replica);
  }

  async #reserveMore(): Promise<Result<void, Refusal>> {
    const until = this.#last + reservedAtOnce;
    const committed = await this.#store.commit([
      { type: "put-meta", key: metaKeys.reservedReplicas, value: { until } },
    ]);
    if (!committed.ok) return err(notStored(committed.error));
    this.#reservedUntil = until;
    return done;
  }

  /** The number is stored, or nobody's. */
  #forget({ replica, key }: Reserved): void {
    this.#reserved.delete(replica);
    this.#reservedByKey.delete(key);
    this.#left.delete(key);
  }

  #drop(reserved: Reserved): void {
    this.#forget(reserved);
    this.#actorsByReplica.delete(reserved.replica);
  }

  async #register(
    actor: Actor,
    metaOf: (replica: ReplicaId) => readonly MetaWrite[],
  ): Promise<Result<ReplicaId, Refusal>> {
    for (;;) {
      // The number counts as used, whether or not its record reached the disk.
      this.#last += 1;
      const replica = this.#last as ReplicaId;
      const committed = await this.#store.commit([
        { type: "put-replica", replica: { replica, actor, createdAt: this.#clock.now() } },
        ...metaOf(replica),
      ]);
      if (committed.ok) {
        this.#actorsByReplica.set(replica, actor);
        return ok(replica);
      }
      // The number belongs to a client whose record cannot be read.
      if (committed.error.code !== "CONFLICT") return err(notStored(committed.error));
    }
  }

  /**
   * Runs one lookup or registration per key, however many callers wait; a failure is dropped, so that the next call tries
   * again.
   */
  #once(key: string, find: () => Promise<Result<ReplicaId, Refusal>>): Promise<Result<ReplicaId, Refusal>> {
    const known = this.#foundByKey.get(key);
    if (known !== undefined) return known;
    const found = find();
    this.#foundByKey.set(key, found);
    const forget = (): boolean => this.#foundByKey.delete(key);
    found.then((result) => result.ok || forget(), forget);
    return found;
  }

  /** Returns the number stored under a key; null where there is none, or its record cannot be read. */
  async #storedUnder(key: string): Promise<ReplicaId | null> {
    const replica = (await this.#store.meta(key))?.["replica"];
    return typeof replica === "number" && this.#actorsByReplica.has(replica as ReplicaId)
      ? (replica as ReplicaId)
      : null;
  }
}

const done = ok(undefined);

function stored(found: Result<ReplicaId, Refusal>): ReplicaId {
  if (!found.ok) throw new NotStoredError(found.error);
  return found.value;
}

type MetaWrite = Extract<StoreWrite, { type: "put-meta" }>;

function replicaMeta(key: string, replica: ReplicaId): MetaWrite {
  return { type: "put-meta", key, value: { replica } };
}
