import type { Actor } from "../../core/base/actor.ts";
import { assert, must, unreachable } from "../../core/base/assert.ts";
import { decodeBase64, encodeBase64 } from "../../core/base/base64.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { hash8 } from "../../core/base/hash.ts";
import type { BlockId, RequestId } from "../../core/base/ids.ts";
import { headerAfter } from "../../core/block/header-after.ts";
import { placeThreads, type RangePlacement } from "../../core/block/comment/range-anchor.ts";
import { takeThreads, type Thread } from "../../core/block/comment/thread.ts";
import { takeSuggestions, type Suggestion } from "../../core/block/suggestion/suggestion.ts";
import type { BlockChange, BlockHeader } from "../../core/block/types.ts";
import { updateBytesMax } from "../../core/protocol/base/limits.ts";
import type { DownMessage, UpMessage } from "../../core/protocol/base/messages.ts";
import { fromWireChange } from "../../core/protocol/base/wire-change.ts";
import { trustedLimits } from "../../core/text/trusted-limits.ts";
import type { ReplicaId, BlameSpan, OpSpan, TextChange, TextDocument } from "../../core/text/types.ts";
import { encodedUpdate, keepEdits, type FreshCopy } from "./fresh-copy.ts";
import { createCell, type Batch, type Cell } from "../base/observable.ts";
import { countEdits, idsOf, pushUnitsMax, wordsIn } from "./pending-edits.ts";
import { trackPresence, type PresenceTrack } from "./presence.ts";
import { lostIn, pushRetry, withLost } from "../base/refused-edits.ts";
import { pendingPushes, type ReplicaEffect, type ReplicaEvent, type ReplicaState } from "./replica-state.ts";
import { initialReplica, sendsAtOnce, transition } from "./replica-transition.ts";
import { createRetryTimer, type RetryTimer } from "../base/retry-timer.ts";
import { StoredWaiters } from "./stored-waiters.ts";
import { inSteps, replacement } from "./text-mapping.ts";
import type {
  ClientPlatform,
  LeaseView,
  Observable,
  PresenceView,
  TextOrigin,
  TextReplica,
  WaitingEdits,
} from "../base/types.ts";

type Snapshot = Extract<DownMessage, { type: "block-snapshot" }>;
type Changed = Extract<DownMessage, { type: "block-change" }>;
type EffectOf<Type extends ReplicaEffect["type"]> = Extract<ReplicaEffect, { readonly type: Type }>;

export interface ReplicaOptions {
  readonly blockId: BlockId;
  readonly batch: Batch;
  readonly platform: ClientPlatform;
  /** Who edits as each replica, for the whole connection: the server names each replica once, with whatever block. */
  readonly actors: ReadonlyMap<ReplicaId, Actor>;
  /** Reads an encoded document; undefined when it is corrupt. */
  decode(bytes: Uint8Array): TextDocument | undefined;
  nextRequestId(): RequestId;
  /** Sends while the connection is live, else drops the message: `connected` sends again. */
  send(message: UpMessage): void;
  /** The unconfirmed edits have changed; `madeAgain` when they were made again as other pushes. */
  unconfirmedChanged(madeAgain: boolean): void;
  /** A user of the text has closed it. */
  closed(): void;
}

const noLease: LeaseView = { epoch: 0, held: null };

/**
 * A block's text as this page has it. See TextReplica for what it promises to views. `replica-transition` decides what each
 * event does; this class holds the text and the encoded updates, and does what was decided.
 */
export class Replica implements TextReplica {
  readonly blockId: BlockId;
  readonly header: Observable<BlockHeader | null>;
  readonly lease: Observable<LeaseView>;
  readonly presence: Observable<readonly PresenceView[]>;
  readonly suggestions: Observable<readonly Suggestion[]>;
  readonly threads: Observable<readonly Thread[]>;
  readonly unconfirmed: Observable<number>;
  readonly refused: Observable<Refusal | null>;

  readonly #options: ReplicaOptions;
  readonly #header: Cell<BlockHeader | null>;
  readonly #lease: Cell<LeaseView>;
  readonly #unconfirmed: Cell<number>;
  readonly #refused: Cell<Refusal | null>;
  readonly #presence: PresenceTrack;
  readonly #suggestions: Cell<readonly Suggestion[]>;
  readonly #threads: Cell<readonly Thread[]>;
  readonly #listeners = new Set<(changes: readonly TextChange[], origin: TextOrigin) => void>();
  readonly #retries: { readonly push: RetryTimer; readonly watch: RetryTimer };
  #state: ReplicaState = initialReplica;
  /** The text with its history; null before the first copy. */
  #document: TextDocument | null = null;
  /** The encoded updates of pending pushes. */
  readonly #updates = new Map<RequestId, Uint8Array>();
  #steadyWaiters: (() => void)[] = [];
  readonly #stored = new StoredWaiters();

  constructor(options: ReplicaOptions) {
    this.#options = options;
    this.blockId = options.blockId;
    this.header = this.#header = createCell<BlockHeader | null>(null, options.batch);
    this.lease = this.#lease = createCell(noLease, options.batch);
    this.unconfirmed = this.#unconfirmed = createCell(0, options.batch);
    this.refused = this.#refused = createCell<Refusal | null>(null, options.batch);
    this.#presence = trackPresence(options);
    this.presence = this.#presence.others;
    this.#suggestions = createCell<readonly Suggestion[]>([], options.batch);
    this.suggestions = this.#suggestions;
    this.threads = this.#threads = createCell<readonly Thread[]>([], options.batch);
    this.#retries = { push: createRetryTimer(options.platform), watch: createRetryTimer(options.platform) };
  }

  get ready(): boolean {
    return this.#document !== null;
  }

  get length(): number {
    return this.#document?.length ?? 0;
  }

  text(): string {
    return this.#document?.text() ?? "";
  }

  edit(changes: readonly TextChange[]): void {
    // What is too long for one push goes in several; none is sent before all of it is in the text.
    const steps = inSteps(changes.filter(isChange), pushUnitsMax).filter((step) => step.length > 0);
    for (const [index, step] of steps.entries()) this.#edit(step, index < steps.length - 1);
  }

  onChange(listener: (changes: readonly TextChange[], origin: TextOrigin) => void): () => void {
    const own: typeof listener = (changes, origin) => listener(changes, origin);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  blame(from: number, to: number): readonly BlameSpan[] {
    return this.#document?.blame(from, to) ?? [];
  }

  placesOf(threads: readonly Thread[]): readonly (RangePlacement | null)[] {
    return placeThreads(this.#document, threads);
  }

  unitsOf(from: number, to: number): readonly OpSpan[] {
    return this.blame(from, to).map(({ id, ...span }) => ({ ...id, length: span.to - span.from }));
  }

  actorOf(replicaId: ReplicaId): Actor | undefined {
    return this.#options.actors.get(replicaId);
  }

  setSelection(selection: { readonly anchor: number; readonly head: number } | null): void {
    this.#presence.setOwn(selection);
  }

  dismissRefusal(): void {
    this.#refused.set(null);
  }

  /** See HeddleClient. A live server confirms in a moment whatever it has not refused. */
  unsentWords(isLive: boolean): string {
    const refused = this.#refused.get();
    const waits = !isLive || (refused !== null && pushRetry(refused).shown);
    return `${lostIn(refused) ?? ""}${waits ? wordsIn(pendingPushes(this.#state)) : ""}`;
  }

  waitingEdits(): readonly WaitingEdits[] {
    return pendingPushes(this.#state).map((push) => {
      const update = push.stage === "open" ? this.#text().updateSince(push.base) : encodedUpdate(this.#updates, push);
      return { blockId: this.blockId, requestId: push.requestId, update: encodeBase64(update), words: push.inserted };
    });
  }

  close(): void {
    this.#options.closed();
  }

  /** Ends timers; the replica is not used any more. */
  dispose(): void {
    this.#dispatch({ type: "closed" });
  }

  /** The connection is live (again): resumes after the last version and sends again what was not confirmed. */
  connected(replicaId: ReplicaId, restarted: boolean): void {
    this.#dispatch({ type: "connected", replicaId, restarted });
  }

  disconnected(): void {
    this.#dispatch({ type: "disconnected" });
  }

  /** Resolves when no fresh copy is awaited: the edits that wait are known exactly then. */
  steady(): Promise<void> {
    if (this.#state.type !== "resyncing") return Promise.resolve();
    return new Promise((resolve) => this.#steadyWaiters.push(resolve));
  }

  /**
   * Calls `done` once the server has every edit made so far, at once when it has them. Edits that a person has been shown to
   * wait, or to be lost, are not waited for.
   */
  whenStored(done: () => void): void {
    this.#stored.add(idsOf(pendingPushes(this.#state)), done);
    this.#settle();
  }

  /**
   * Sends every edit made so far, then holds back later ones until the returned function has been called and the version
   * that it is given has come. One undo at a time.
   */
  hold(): (version: number) => void {
    this.#dispatch({ type: "undo-requested" });
    return (version) => this.#dispatch({ type: "undo-answered", version });
  }

  snapshot(message: Snapshot): void {
    const copy = this.#readCopy(message);
    this.#dispatch(copy === undefined ? { type: "copy-damaged" } : { type: "copy-received", copy });
  }

  changed(message: Changed): void {
    const change = fromWireChange(message.change);
    this.#dispatch(change === undefined ? { type: "change-unreadable" } : { type: "change-received", change });
  }

  leaseChanged(lease: LeaseView): void {
    if (lease.epoch >= this.#lease.get().epoch) this.#lease.set(lease);
  }

  suggestionsChanged(news: Extract<DownMessage, { type: "suggestions" }>): void {
    this.#suggestions.set(takeSuggestions(this.#suggestions.get(), news));
  }

  threadsChanged(news: Extract<DownMessage, { type: "threads" }>): void {
    this.#threads.set(takeThreads(this.#threads.get(), news));
  }

  presenceChanged(message: Extract<DownMessage, { type: "presence" }>): void {
    this.#presence.take(message, this.length);
  }

  watchRefused(reason: Refusal): void {
    this.#dispatch({ type: "watch-refused", reason });
  }

  /** Whether a push of this request awaits the server. */
  hasPending(requestId: RequestId): boolean {
    return pendingPushes(this.#state).some((push) => push.requestId === requestId);
  }

  pushed(requestId: RequestId): void {
    this.#dispatch({ type: "push-confirmed", requestId });
  }

  pushRefused(requestId: RequestId, reason: Refusal): void {
    this.#dispatch({ type: "push-refused", requestId, reason });
  }

  #edit(changes: readonly TextChange[], more: boolean): void {
    const document = must(this.#document, "a text is edited after its first copy");
    const state = this.#state;
    assert("replicaId" in state, "a text that is closed takes no edits");
    const { replicaId } = state;
    const base = document.version();
    const seq = document.nextSeq(replicaId);
    const requestId = this.#options.nextRequestId();
    // Each edit is encoded once: now when it leaves at once, else together with those that it will travel with.
    const encoded = !more && sendsAtOnce(state);
    if (encoded) {
      const edited = document.edit(replicaId, changes);
      assert(edited.ok, `an edit of the page fits its text: ${edited.ok ? "" : edited.error.code}`);
      this.#updates.set(requestId, edited.value.update);
    } else {
      const applied = document.apply(replicaId, changes);
      assert(applied.ok, `an edit of the page fits its text: ${applied.ok ? "" : applied.error.code}`);
    }
    const inserted = changes.map((change) => change.insert).join("");
    const edit = { requestId, base, seq, endSeq: document.nextSeq(replicaId), inserted, edits: 1 };
    this.#dispatch({ type: "edited", edit, delta: changes, encoded, more });
  }

  #readCopy({ header, text, hash }: Snapshot): FreshCopy | undefined {
    const bytes = decodeBase64(text);
    if (bytes === undefined) return undefined;
    const document = this.#options.decode(bytes);
    if (document === undefined || hash8(document.text()) !== hash) return undefined;
    return {
      header,
      document,
      decodeAgain: () => must(this.#options.decode(bytes), "bytes that were decoded once are decoded again"),
    };
  }

  #dispatch(event: ReplicaEvent): void {
    const { state, effects } = transition(this.#state, event);
    this.#state = state;
    for (const effect of effects) this.#perform(effect);
    this.#settle();
  }

  #perform(effect: ReplicaEffect): void {
    switch (effect.type) {
      case "watch":
        this.#options.send({ type: "watch-block", blockId: this.blockId, afterVersion: effect.afterVersion });
        return;
      case "encode":
        this.#updates.set(effect.requestId, this.#text().updateSince(effect.base));
        return;
      case "push":
        this.#push(effect.requestId);
        return;
      case "merge":
        this.#merge(effect.change);
        return;
      case "adopt-copy":
        this.#adopt(effect);
        return;
      case "apply-header": {
        const header = this.#header.get();
        if (header !== null) this.#header.set(headerAfter(header, effect.change));
        return;
      }
      case "notify":
        this.#presence.map(effect.changes);
        for (const listener of this.#listeners) listener(effect.changes, effect.origin);
        return;
      case "report":
        this.#refused.set(withLost(effect.reason, this.#refused.get(), effect.lost));
        return;
      case "clear-report":
        this.#clearReport(effect.of);
        return;
      case "schedule-retry":
        this.#retries[effect.of].schedule(() =>
          this.#dispatch({ type: effect.of === "push" ? "push-retry-due" : "watch-retry-due" }),
        );
        return;
      case "reset-retry":
        this.#retries[effect.of].reset();
        return;
      case "cancel-retries":
        this.#cancelRetries();
        return;
      case "send-selection":
        this.#presence.resend();
        return;
      case "clear-presence":
        this.#presence.clear();
        return;
      case "dispose":
        this.#cancelRetries();
        this.#presence.dispose();
        this.#listeners.clear();
        return;
      default:
        unreachable(effect);
    }
  }

  #push(requestId: RequestId): void {
    const update = this.#updates.get(requestId);
    // A push before it in the same step was too large, which gave up this one as well.
    if (update === undefined) return;
    if (update.length > updateBytesMax) {
      const reason = refusal("UPDATE_TOO_LARGE", { actual: update.length, max: updateBytesMax });
      this.#dispatch({ type: "push-refused", requestId, reason });
      return;
    }
    this.#options.send({ type: "push", requestId, blockId: this.blockId, update: encodeBase64(update) });
  }

  #merge(change: BlockChange): void {
    const { body } = change;
    assert(body.type === "text" || body.type === "created", "a change that is merged has an update");
    const merged = this.#text().merge(body.update, trustedLimits);
    if (merged.ok) this.#dispatch({ type: "change-merged", change, delta: merged.value.delta });
    else this.#dispatch({ type: "merge-refused" });
  }

  #adopt({ copy, pushes, formerId, replicaId }: EffectOf<"adopt-copy">): void {
    const before = this.#document;
    const shown = this.text();
    const kept =
      before === null
        ? { document: copy.document, pushes, updates: this.#updates, lost: null }
        : keepEdits(copy, {
            before,
            pushes,
            formerId,
            replicaId,
            updateOf: (push) => encodedUpdate(this.#updates, push),
            nextRequestId: () => this.#options.nextRequestId(),
          });
    this.#document = kept.document;
    for (const [requestId, update] of kept.updates) this.#updates.set(requestId, update);
    if (kept.updates.size > 0) this.#stored.madeAgain(idsOf(kept.pushes));
    this.#header.set(copy.header);
    this.#dispatch({
      type: "copy-adopted",
      version: copy.header.version,
      pushes: kept.pushes,
      delta: replacement(shown, this.text()),
      lost: kept.lost,
    });
    if (kept.updates.size > 0) this.#options.unconfirmedChanged(true);
  }

  #clearReport(of: EffectOf<"clear-report">["of"]): void {
    const refused = this.#refused.get();
    if (refused === null || lostIn(refused) !== null) return;
    if (of === "any" || pushRetry(refused).shown) this.#refused.set(null);
  }

  #cancelRetries(): void {
    this.#retries.push.cancel();
    this.#retries.watch.cancel();
  }

  #text(): TextDocument {
    return must(this.#document, "a replica with pending edits has a text");
  }

  /** Brings what is derived from the state up to date. */
  #settle(): void {
    const pushes = pendingPushes(this.#state);
    if (this.#updates.size > pushes.length) {
      for (const requestId of this.#updates.keys()) if (!this.hasPending(requestId)) this.#updates.delete(requestId);
    }
    const refused = this.#refused.get();
    this.#stored.settle(refused !== null && pushRetry(refused).shown ? [] : idsOf(pushes));
    if (this.#state.type !== "resyncing") for (const resolve of this.#steadyWaiters.splice(0)) resolve();
    const unconfirmed = countEdits(pushes);
    if (unconfirmed === this.#unconfirmed.get()) return;
    this.#unconfirmed.set(unconfirmed);
    this.#options.unconfirmedChanged(false);
  }
}

function isChange({ from, to, insert }: TextChange): boolean {
  return to > from || insert !== "";
}
