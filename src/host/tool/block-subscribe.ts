import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { BlockId } from "../../core/base/ids.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { BlockChange } from "../../core/block/types.ts";
import { toWireChange } from "../../core/protocol/base/wire-change.ts";
import { blockSubscribe } from "../../core/tool/block/block-tools.ts";
import { readToolInput } from "../../core/tool/base/definitions.ts";
import { blockNotFound } from "../document/block/closed-refusal.ts";
import { documentOfBlock } from "../document/record/document-of.ts";
import { plainJson, wireParts, textPartsOf } from "./block-sync.ts";
import { reachableBlocks } from "./opened-block.ts";
import type { BlockToolRun } from "./runnable.ts";

/** An event for a subscriber, in the forms of block_sync. */
export type SubscriptionEvent =
  | { readonly type: "patch"; readonly patch: JsonObject }
  | { readonly type: "new-block"; readonly block: JsonObject }
  /** The subscriber has caught up: later events are new changes. */
  | { readonly type: "caught-up" };

/** Receives each event. During catch-up, the returned promise is awaited before the next event is sent. */
export type Subscriber = (event: SubscriptionEvent) => void | Promise<void>;

/** Approximate bytes of changes buffered while a subscriber catches up; a slower subscriber is closed. */
const waitingBytesMax = 8 * 1024 * 1024;
/** Approximate bytes of a change without its update. */
const changeBytes = 500;

/**
 * Streams blocks to one subscriber: first the changes or copies that it is missing, then every change once and in order.
 * `stop` ends the stream. `started` resolves when the subscriber has caught up, or with the refusal.
 */
export function subscribe(
  parameters: JsonObject,
  run: BlockToolRun,
  send: Subscriber,
): Result<{ readonly started: Promise<Result<void, Refusal>>; readonly stop: () => void }, Refusal> {
  const input = readToolInput(blockSubscribe, parameters);
  if (!input.ok) return input;
  const { block_ids: ids = [], from_versions: versions = [], form = "update" } = input.value;
  const subscription = new Subscription(run, send, { ids, asText: form === "text" });
  const unwatch = run.ports.hub.feeds.changes.subscribe((changes) => subscription.take(changes));
  const stop = (): void => {
    unwatch();
    subscription.end();
  };
  return ok({ started: subscription.catchUp(new Map(versions)), stop });
}

class Subscription {
  readonly #run: BlockToolRun;
  readonly #send: Subscriber;
  /** The subscribed blocks; null means all. */
  readonly #wanted: ReadonlySet<BlockId> | null;
  /** The last version sent of each block. */
  readonly #sentVersions = new Map<BlockId, number>();
  /** The changes made during catch-up; null afterwards. */
  #waiting: BlockChange[] | null = [];
  #waitingBytes = 0;
  /** Resolves when catch-up is abandoned: the subscriber left, or its buffer is full. */
  readonly #abandoned = Promise.withResolvers<void>();
  #isOver = false;
  readonly #asText: boolean;
  /** Texts are read from the store, so events as text wait for each other. */
  #lastText: Promise<void> = Promise.resolve();

  constructor(
    run: BlockToolRun,
    send: Subscriber,
    { ids, asText }: { readonly ids: readonly BlockId[]; readonly asText: boolean },
  ) {
    this.#run = run;
    this.#send = send;
    this.#asText = asText;
    this.#wanted = ids.length === 0 ? null : new Set(ids);
  }

  /** Buffers changes, sends a copy with its version, then sends the buffered changes that are newer (B-28). */
  async catchUp(has: ReadonlyMap<BlockId, number>): Promise<Result<void, Refusal>> {
    const headers = await reachableBlocks(this.#run);
    const versions = new Map(headers.map(({ id, version }) => [id, version]));
    for (const id of this.#wanted ?? new Set([...versions.keys(), ...has.keys()])) {
      const known = has.get(id) ?? 0;
      if (versions.get(id) === known) {
        this.#sentVersions.set(id, known);
        continue;
      }
      const missing = await this.#run.ports.hub.reader.catchUp(id, known);
      if (!missing.ok) return missing;
      const { header } = missing.value;
      if (!this.#isReachable(header.kind, id)) return err(blockNotFound(id));
      const parts = this.#asText ? await textPartsOf(missing.value, known, this.#run) : wireParts(missing.value);
      const isPatch = missing.value.type === "changes" && (!this.#asText || known > 0);
      for (const part of parts) {
        await this.#sendAndWait(isPatch ? { type: "patch", patch: part } : { type: "new-block", block: part });
      }
      this.#sentVersions.set(id, header.version);
      if (this.#isOver) return ok(undefined);
      if (this.#waitingBytes > waitingBytesMax) return err(refusal("SLOW_SUBSCRIBER", { max: waitingBytesMax }));
    }
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    void this.#send({ type: "caught-up" });
    this.take(waiting);
    return ok(undefined);
  }

  take(changes: readonly BlockChange[]): void {
    if (this.#waiting !== null) {
      this.#buffer(changes, this.#waiting);
      return;
    }
    for (const change of changes) {
      if (!this.#isWanted(change) || change.version <= (this.#sentVersions.get(change.blockId) ?? 0)) continue;
      this.#sentVersions.set(change.blockId, change.version);
      if (this.#asText) this.#sendText(change);
      else void this.#send({ type: "patch", patch: plainJson(toWireChange(change)) });
    }
  }

  /** Sends a change as text: what was appended, else the text after the change. */
  #sendText(change: BlockChange): void {
    this.#lastText = this.#lastText.then(async () => {
      if (this.#isOver) return;
      const { blockId: block_id, version, actor, at, body } = change;
      const facts = { block_id, version, actor, at, type: body.type };
      const appended = body.type === "text" ? body.appended : undefined;
      if (appended !== undefined) return this.#send({ type: "patch", patch: plainJson({ ...facts, appended }) });
      if (body.type !== "text" && body.type !== "created") {
        return this.#send({ type: "patch", patch: plainJson({ ...facts, body }) });
      }
      const read = await this.#run.ports.hub.reader.readAt(block_id, version);
      // A block that was deleted since has no text; its deletion is the next event.
      return this.#send({ type: "patch", patch: plainJson(read.ok ? { ...facts, text: read.value.text } : facts) });
    });
    // A hub that is closing reads nothing more; the subscriber continues from its last version.
    this.#lastText = this.#lastText.catch(() => this.end());
  }

  /** Ends the subscription. */
  end(): void {
    this.#isOver = true;
    this.#abandoned.resolve();
  }

  /** Sends an event and waits until it was received or catch-up was abandoned. */
  async #sendAndWait(event: SubscriptionEvent): Promise<void> {
    await Promise.race([Promise.resolve(this.#send(event)), this.#abandoned.promise]);
  }

  #buffer(changes: readonly BlockChange[], waiting: BlockChange[]): void {
    if (this.#isOver || this.#waitingBytes > waitingBytesMax) return;
    for (const change of changes) {
      if (!this.#isWanted(change)) continue;
      waiting.push(change);
      this.#waitingBytes += changeBytes + ("update" in change.body ? change.body.update.length : 0);
    }
    if (this.#waitingBytes > waitingBytesMax) this.#abandoned.resolve();
  }

  #isWanted({ blockId, body }: BlockChange): boolean {
    if (this.#wanted !== null) return this.#wanted.has(blockId);
    // A block that is new to the subscriber begins with its `created` change.
    return this.#sentVersions.has(blockId) || this.#waiting !== null
      ? true
      : body.type === "created" && this.#isReachable(body.header.kind, blockId);
  }

  #isReachable(kind: string, blockId: BlockId): boolean {
    return kind === "file" || documentOfBlock(blockId) === this.#run.documentId;
  }
}
