import type { Actor } from "../../../core/base/actor.ts";
import type { Refusal } from "../../../core/base/errors.ts";
import type { BlockId, RootId, RunId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { BlockChange } from "../../../core/block/types.ts";
import { whyMissing } from "./closed-refusal.ts";
import type { Store } from "../../../core/port/store.ts";
import type { OpOrigin } from "../../../core/protocol/commands.ts";
import type { ReplicaId, OpId, OpSpan } from "../../../core/text/types.ts";

type OriginStore = Pick<Store, "block" | "changes" | "run" | "trashed">;

/** Maximum number of blocks whose logs stay in memory; the least recently used one is evicted. */
const logsKept = 8;

/** Finds the change that wrote each unit of a block's text. A log is read once, later only its new changes. */
export class Origins {
  readonly #store: OriginStore;
  /** Least recently used first. */
  readonly #logsByBlock = new Map<BlockId, OriginLog>();

  constructor(store: OriginStore) {
    this.#store = store;
  }

  /** Returns the change of each of these units, in their order; null where it is unknown or was compacted. */
  async of(wish: {
    readonly blockId: BlockId;
    readonly ops: readonly OpId[];
  }): Promise<Result<{ readonly origins: readonly (OpOrigin | null)[] }, Refusal>> {
    const { blockId, ops } = wish;
    const header = await this.#store.block(blockId);
    if (header === null || header.deletedAt !== undefined) {
      this.#logsByBlock.delete(blockId);
      return err(await whyMissing(this.#store, blockId));
    }
    const log = this.#logOf(blockId);
    await log.catchUp();
    const found = ops.map((op) => log.placeOf(op));
    const rootsByRun = new Map<RunId, RootId | null>();
    for (const place of found) {
      const actor = place?.change.actor;
      if (actor?.type !== "model" || rootsByRun.has(actor.runId)) continue;
      rootsByRun.set(actor.runId, (await this.#store.run(actor.runId))?.rootId ?? null);
    }
    return ok({ origins: found.map((place) => (place === null ? null : originOf(place, rootsByRun))) });
  }

  #logOf(blockId: BlockId): OriginLog {
    const log = this.#logsByBlock.get(blockId) ?? new OriginLog(this.#store, blockId);
    this.#logsByBlock.delete(blockId);
    this.#logsByBlock.set(blockId, log);
    const [oldest] = this.#logsByBlock.keys();
    if (this.#logsByBlock.size > logsKept && oldest !== undefined) this.#logsByBlock.delete(oldest);
    return log;
  }
}

/** The part of a change that an origin reports. */
type ChangeOrigin = Pick<OpOrigin, "version" | "at" | "actor" | "keptBy">;

/** A change with one run of units that it wrote. */
interface Place {
  readonly span: OpSpan;
  readonly change: ChangeOrigin;
}

/** The changes of one block by the units that they wrote, as far as the log was read. */
class OriginLog {
  readonly #store: OriginStore;
  readonly #blockId: BlockId;
  /** Each agent's runs of units in ascending order, because an agent's numbers only grow. */
  readonly #placesByReplica = new Map<ReplicaId, Place[]>();
  #version = 0;
  #reading: Promise<void> = Promise.resolve();

  constructor(store: OriginStore, blockId: BlockId) {
    this.#store = store;
    this.#blockId = blockId;
  }

  /** Reads the new changes of the log, after any read under way. */
  catchUp(): Promise<void> {
    const read = (): Promise<void> => this.#read();
    this.#reading = this.#reading.then(read, read);
    return this.#reading;
  }

  placeOf({ replica, seq }: OpId): Place | null {
    return placeOf(this.#placesByReplica.get(replica) ?? [], seq);
  }

  async #read(): Promise<void> {
    const changes = await this.#store.changes({ blockId: this.#blockId, afterVersion: this.#version });
    for (const change of changes) this.#take(change);
  }

  #take(change: BlockChange): void {
    const { body, version, at } = change;
    this.#version = version;
    if (body.type !== "text" && body.type !== "created") return;
    const keptBy = body.type === "text" && body.kept !== undefined ? change.actor : null;
    const origin: ChangeOrigin = { version, at, actor: writerOf(change), keptBy };
    for (const span of body.spans) {
      const known = this.#placesByReplica.get(span.replica);
      if (known === undefined) this.#placesByReplica.set(span.replica, [{ span, change: origin }]);
      else known.push({ span, change: origin });
    }
  }
}

function placeOf(places: readonly Place[], seq: number): Place | null {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const span = places[middle]?.span;
    if (span !== undefined && span.seq + span.length <= seq) low = middle + 1;
    else high = middle;
  }
  const place = places[low];
  return place !== undefined && place.span.seq <= seq ? place : null;
}

/** Returns the author of a change: for a kept suggestion the agent that suggested it; an agent comes with its tool call. */
function writerOf({ actor, body }: BlockChange): Actor {
  if (body.type === "text" && body.kept !== undefined) return body.kept.author;
  const call = body.type === "text" ? body.unit.toolCallId : undefined;
  return actor.type === "model" && call !== undefined ? { ...actor, toolCallId: call } : actor;
}

function originOf({ span, change }: Place, rootsByRun: ReadonlyMap<RunId, RootId | null>): OpOrigin {
  const { actor } = change;
  return { span, ...change, rootId: actor.type === "model" ? (rootsByRun.get(actor.runId) ?? null) : null };
}
