import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { BlockId } from "../../core/base/ids.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { BlockChange } from "../../core/block/types.ts";
import { toWireChange } from "../../core/protocol/base/wire-change.ts";
import { blockSubscribe } from "../../core/tool/block-tools.ts";
import { readToolInput } from "../../core/tool/definitions.ts";
import { blockNotFound } from "../document/block/why-closed.ts";
import { documentOfBlock } from "../document/record/document-of.ts";
import { json, partsOf } from "./block-sync.ts";
import { reachableBlocks } from "./opened-block.ts";
import type { BlockToolRun } from "./runnable.ts";

/** What a subscriber is told, in the forms of block_sync. */
export type SubscriptionEvent =
  | { readonly type: "patch"; readonly patch: JsonObject }
  | { readonly type: "new-block"; readonly block: JsonObject }
  /** Everything so far has been told: what follows is new. */
  | { readonly type: "caught-up" };

/** Hears of each event. While a subscriber catches up, what this gives back is waited for before the next copy is made. */
export type Subscriber = (event: SubscriptionEvent) => void | Promise<void>;

/** What may happen while a subscriber catches up that does not read: about so many bytes of changes are kept for it. */
const waitingBytesMax = 8 * 1024 * 1024;
/** What a change takes beside its update. */
const changeBytes = 500;

/**
 * Streams blocks to one subscriber: first what it is missing, then every change in order, none twice and none left out. The
 * returned function ends it. `started` resolves when the subscriber has caught up, or with why it could not.
 */
export function subscribe(
  parameters: JsonObject,
  run: BlockToolRun,
  tell: Subscriber,
): Result<{ readonly started: Promise<Result<void, Refusal>>; readonly stop: () => void }, Refusal> {
  const input = readToolInput(blockSubscribe, parameters);
  if (!input.ok) return input;
  const { block_ids: ids = [], from_versions: versions = [] } = input.value;
  const subscription = new Subscription(run, tell, ids);
  const unwatch = run.ports.hub.feeds.changes.subscribe((changes) => subscription.take(changes));
  const stop = (): void => {
    unwatch();
    subscription.end();
  };
  return ok({ started: subscription.catchUp(new Map(versions)), stop });
}

class Subscription {
  readonly #run: BlockToolRun;
  readonly #tell: Subscriber;
  /** Only these; null: all. */
  readonly #wanted: ReadonlySet<BlockId> | null;
  /** The last version told of each block. */
  readonly #told = new Map<BlockId, number>();
  /** What happens while the subscriber catches up; null from then on. */
  #waiting: BlockChange[] | null = [];
  #waitingBytes = 0;
  /** Resolves when catching up is of no use any more: the subscriber is gone, or too much waits for it. */
  readonly #givenUp = Promise.withResolvers<void>();
  #isOver = false;

  constructor(run: BlockToolRun, tell: Subscriber, ids: readonly BlockId[]) {
    this.#run = run;
    this.#tell = tell;
    this.#wanted = ids.length === 0 ? null : new Set(ids);
  }

  /** Buffer, then a copy with its version, then what of the buffer is newer (B-28). */
  async catchUp(has: ReadonlyMap<BlockId, number>): Promise<Result<void, Refusal>> {
    const headers = await reachableBlocks(this.#run);
    const versions = new Map(headers.map(({ id, version }) => [id, version]));
    for (const id of this.#wanted ?? new Set([...versions.keys(), ...has.keys()])) {
      const known = has.get(id) ?? 0;
      if (versions.get(id) === known) {
        this.#told.set(id, known);
        continue;
      }
      const missing = await this.#run.ports.hub.reader.catchUp(id, known);
      if (!missing.ok) return missing;
      const { header } = missing.value;
      if (!this.#isReachable(header.kind, id)) return err(blockNotFound(id));
      for (const part of partsOf(missing.value)) {
        await this.#hear(
          missing.value.type === "changes" ? { type: "patch", patch: part } : { type: "new-block", block: part },
        );
      }
      this.#told.set(id, header.version);
      if (this.#isOver) return ok(undefined);
      if (this.#waitingBytes > waitingBytesMax) return err(refusal("SLOW_SUBSCRIBER", { max: waitingBytesMax }));
    }
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    void this.#tell({ type: "caught-up" });
    this.take(waiting);
    return ok(undefined);
  }

  take(changes: readonly BlockChange[]): void {
    if (this.#waiting !== null) {
      this.#keep(changes, this.#waiting);
      return;
    }
    for (const change of changes) {
      if (!this.#isWanted(change) || change.version <= (this.#told.get(change.blockId) ?? 0)) continue;
      this.#told.set(change.blockId, change.version);
      void this.#tell({ type: "patch", patch: json(toWireChange(change)) });
    }
  }

  /** Nobody listens any more. */
  end(): void {
    this.#isOver = true;
    this.#givenUp.resolve();
  }

  /** Tells, and waits until it was heard, or of no use any more. */
  async #hear(event: SubscriptionEvent): Promise<void> {
    await Promise.race([Promise.resolve(this.#tell(event)), this.#givenUp.promise]);
  }

  #keep(changes: readonly BlockChange[], waiting: BlockChange[]): void {
    if (this.#isOver || this.#waitingBytes > waitingBytesMax) return;
    for (const change of changes) {
      if (!this.#isWanted(change)) continue;
      waiting.push(change);
      this.#waitingBytes += changeBytes + ("update" in change.what ? change.what.update.length : 0);
    }
    if (this.#waitingBytes > waitingBytesMax) this.#givenUp.resolve();
  }

  #isWanted({ blockId, what }: BlockChange): boolean {
    if (this.#wanted !== null) return this.#wanted.has(blockId);
    // A block that nobody has been told of begins with its making.
    return this.#told.has(blockId) || this.#waiting !== null
      ? true
      : what.type === "created" && this.#isReachable(what.header.kind, blockId);
  }

  #isReachable(kind: string, blockId: BlockId): boolean {
    return kind === "file" || documentOfBlock(blockId) === this.#run.documentId;
  }
}
