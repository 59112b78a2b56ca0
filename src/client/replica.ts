import type { Actor } from "../core/base/actor.ts";
import { assert, must } from "../core/base/assert.ts";
import { refusal, type Refusal } from "../core/base/errors.ts";
import { decodeBase64, encodeBase64 } from "../core/base/base64.ts";
import { hash8 } from "../core/base/hash.ts";
import type { BlockId, RequestId } from "../core/base/ids.ts";
import { headerAfter } from "../core/block/header-after.ts";
import { takeSuggestions, type Suggestion } from "../core/block/suggestion.ts";
import type { BlockChange, BlockHeader } from "../core/block/types.ts";
import { updateBytesMax } from "../core/protocol/limits.ts";
import type { DownMessage, UpMessage } from "../core/protocol/messages.ts";
import { fromWireChange } from "../core/protocol/wire-change.ts";
import type { AgentId, BlameSpan, OpSpan, TextChange, TextDocument } from "../core/text/types.ts";
import { createCell, type Batch, type Cell } from "./observable.ts";
import { wordsIn, type OpenEdits, type Segment } from "./pending-edits.ts";
import { trackPresence, type PresenceTrack } from "./presence.ts";
import { lostIn, mayBeWatchedLater, waitingFor, withLost } from "./refused-edits.ts";
import { createRetryTimer, type RetryTimer } from "./retry-timer.ts";
import { inSteps, invert, rebase, replacement } from "./text-mapping.ts";
import { trustedLimits } from "../core/text/trusted-limits.ts";
import type { ClientPlatform, LeaseView, Observable, PresenceView, TextOrigin, TextReplica } from "./types.ts";

type Snapshot = Extract<DownMessage, { type: "block-snapshot" }>;
type Changed = Extract<DownMessage, { type: "block-change" }>;

export interface ReplicaOptions {
  readonly blockId: BlockId;
  readonly batch: Batch;
  readonly platform: ClientPlatform;
  /** Who each agent stands for, as the connection has been told: it is told of each agent once, with whatever block. */
  readonly actors: ReadonlyMap<AgentId, Actor>;
  /** Reads an encoded document; undefined when it is corrupt. */
  decode(bytes: Uint8Array): TextDocument | undefined;
  nextRequestId(): RequestId;
  /** Sends when the connection is live, else drops it: `live` sends again. */
  send(message: UpMessage): void;
  /** The number of edits that wait for the server has changed. */
  unconfirmedChanged(): void;
  /** The last user has closed it. */
  closed(): void;
}

/** How much inserted text one push carries at most, in UTF-16 units: well below what a push may hold in bytes. */
const pushUnitsMax = 150_000;

const noLease: LeaseView = { epoch: 0, held: null };

/** How often a snapshot whose hash is wrong is asked for again at once; then we say that something is broken. */
const badSnapshotsMax = 3;

/** A block's text as this page has it. See TextReplica for what it promises to views. */
export class Replica implements TextReplica {
  readonly blockId: BlockId;
  readonly header: Observable<BlockHeader | null>;
  readonly lease: Observable<LeaseView>;
  readonly presence: Observable<readonly PresenceView[]>;
  readonly suggestions: Observable<readonly Suggestion[]>;
  readonly unconfirmed: Observable<number>;
  readonly refused: Observable<Refusal | null>;

  readonly #options: ReplicaOptions;
  readonly #header: Cell<BlockHeader | null>;
  readonly #lease: Cell<LeaseView>;
  readonly #unconfirmed: Cell<number>;
  readonly #refused: Cell<Refusal | null>;
  readonly #presence: PresenceTrack;
  readonly #suggestions: Cell<readonly Suggestion[]>;
  readonly #listeners = new Set<(changes: readonly TextChange[], origin: TextOrigin) => void>();
  #doc: TextDocument | null = null;
  /** Whom the server takes this page's edits from now. */
  #agent: AgentId | null = null;
  /** Under whom edits of this copy of the text are made: the former agent's until the fresh copy comes. */
  #editAgent: AgentId | null = null;
  /** The block's version that the text contains; 0 before the first snapshot. */
  #version = 0;
  #segments: Segment[] = [];
  #open: OpenEdits | null = null;
  /** A fresh copy has been asked for: changes that come before it are contained in it. */
  #awaiting = false;
  #badSnapshots = 0;
  /** An undo of our own is under way: what is typed meanwhile waits, or the undo might take that back instead. */
  #held = false;
  /** What the undo did is in the text from this version on. */
  #heldUntilVersion = 0;
  /** Pushes that the server has confirmed and whose change has not come yet. */
  readonly #confirmed = new Set<RequestId>();
  #steadyWaiters: (() => void)[] = [];
  readonly #pushRetry: RetryTimer;
  readonly #watchRetry: RetryTimer;

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
    this.#pushRetry = createRetryTimer(options.platform);
    this.#watchRetry = createRetryTimer(options.platform);
  }

  get ready(): boolean {
    return this.#doc !== null;
  }

  get length(): number {
    return this.#doc?.length ?? 0;
  }

  text(): string {
    return this.#doc?.text() ?? "";
  }

  edit(changes: readonly TextChange[]): void {
    // What is too long for one push goes in several; nothing is sent before all of it is in the text.
    for (const step of inSteps(changes, pushUnitsMax)) this.#edit(step);
    this.#flush();
    this.#count();
  }

  #edit(changes: readonly TextChange[]): void {
    const edited = this.#make(changes, 1);
    assert(edited.ok, `an edit of the page fits its text: ${edited.ok ? "" : edited.error.code}`);
    if (edited.value.update.length > 0) this.#tell(edited.value.delta, { type: "local" });
  }

  /** Makes changes in the text that wait for the server from then on, as so many edits. */
  #make(changes: readonly TextChange[], edits: number): ReturnType<TextDocument["edit"]> {
    const doc = must(this.#doc, "a text is edited after its first snapshot");
    const agent = must(this.#editAgent, "a page that has a snapshot has an agent");
    const base = doc.version();
    const seq = doc.nextSeq(agent);
    const edited = doc.edit(agent, changes);
    if (!edited.ok || edited.value.update.length === 0) return edited;
    this.#open ??= { base, seq, inserted: "", edits: 0 };
    this.#open.inserted += changes.map((change) => change.insert).join("");
    this.#open.edits += edits;
    if (this.#open.inserted.length > pushUnitsMax) this.#closeOpen();
    return edited;
  }

  onChange(listener: (changes: readonly TextChange[], origin: TextOrigin) => void): () => void {
    const own: typeof listener = (changes, origin) => listener(changes, origin);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  blame(from: number, to: number): readonly BlameSpan[] {
    return this.#doc?.blame(from, to) ?? [];
  }

  actorOf(agent: AgentId): Actor | undefined {
    return this.#options.actors.get(agent);
  }

  setSelection(selection: { readonly anchor: number; readonly head: number } | null): void {
    this.#presence.setOwn(selection);
  }

  dismissRefusal(): void {
    this.#refused.set(null);
  }

  /** See HeddleClient; a server that is there takes what it has not refused in a moment. */
  unsentWords(isLive: boolean): string {
    const told = this.#refused.get();
    const waits = !isLive || (told !== null && waitingFor(told).told);
    const waiting = waits ? wordsIn([...this.#segments, ...(this.#open === null ? [] : [this.#open])]) : "";
    return `${lostIn(told) ?? ""}${waiting}`;
  }

  close(): void {
    this.#options.closed();
  }

  /** Ends timers; the replica is not used any more. */
  dispose(): void {
    this.#cancelRetries();
    this.#presence.dispose();
    this.#listeners.clear();
    for (const resolve of this.#steadyWaiters.splice(0)) resolve();
  }

  /**
   * The connection is live (again): joins where it stopped and sends what was not confirmed. From a server that was started
   * anew a whole copy is taken.
   */
  live(agent: AgentId, isAnew: boolean): void {
    this.#agent = agent;
    if (this.#doc === null) {
      this.#join(0);
      return;
    }
    if (this.#editAgent !== agent || this.#awaiting || isAnew) {
      // Edits under the former agent are made anew under ours, on a fresh copy.
      this.#rejoin();
      return;
    }
    this.#join(this.#version);
    this.#sendAgain();
    this.#presence.resend();
  }

  /** The connection is cut: nobody else's selection is known any more. */
  cut(): void {
    this.#cancelRetries();
    this.#presence.clear();
  }

  /** Resolves when no fresh copy is awaited: what is unconfirmed then is known exactly. */
  steady(): Promise<void> {
    if (!this.#awaiting) return Promise.resolve();
    return new Promise((resolve) => this.#steadyWaiters.push(resolve));
  }

  /**
   * Sends everything made so far, then holds back what is made from now on, until the returned function is called and the
   * version that it is given has come. Held once at a time.
   */
  hold(): (version: number) => void {
    assert(!this.#held, "edits are held for one undo at a time");
    this.#closeOpen();
    for (const segment of this.#segments) segment.beforeHold = true;
    this.#held = true;
    this.#flush();
    return (version) => {
      this.#held = false;
      this.#heldUntilVersion = version;
      this.#flush();
    };
  }

  snapshot(message: Snapshot): void {
    const bytes = decodeBase64(message.text);
    const read = (): TextDocument | undefined => (bytes === undefined ? undefined : this.#options.decode(bytes));
    const doc = read();
    if (doc === undefined || hash8(doc.text()) !== message.hash) {
      this.#badSnapshots += 1;
      if (this.#badSnapshots < badSnapshotsMax) this.#rejoin();
      else this.watchRefused(refusal("INTERNAL", { reason: "snapshot" }));
      return;
    }
    this.#badSnapshots = 0;
    this.#watchRetry.worked();
    // What has lost nothing was about a text that could not be followed.
    if (lostIn(this.#refused.get()) === null) this.#refused.set(null);
    const before = this.#doc;
    const shown = before?.text() ?? "";
    this.#awaiting = false;
    this.#confirmed.clear();
    // What was answered before this copy was made is in it, or is gone with the store that had it.
    this.#heldUntilVersion = 0;
    this.#version = message.header.version;
    this.#header.set(message.header);
    if (before === null) {
      this.#doc = doc;
      this.#editAgent = this.#agent;
    } else {
      this.#replace(before, doc, () => must(read(), "what was read once is read again"));
    }
    const changes = replacement(shown, this.text());
    if (changes.length > 0 || before === null) this.#tell(changes, { type: "resync" });
    this.#sendAgain();
    this.#presence.resend();
    this.#count();
    for (const resolve of this.#steadyWaiters.splice(0)) resolve();
  }

  changed(message: Changed): void {
    if (this.#doc === null || this.#awaiting) return;
    const change = fromWireChange(message.change);
    if (change === undefined || change.version > this.#version + 1) {
      this.#rejoin();
      return;
    }
    if (change.version <= this.#version) return;
    if (!this.#take(this.#doc, change)) return;
    this.#version = change.version;
    this.#follow(change);
    this.#flush();
    this.#count();
  }

  leaseChanged(lease: LeaseView): void {
    if (lease.epoch >= this.#lease.get().epoch) this.#lease.set(lease);
  }

  suggestionsChanged(news: Extract<DownMessage, { type: "suggestions" }>): void {
    this.#suggestions.set(takeSuggestions(this.#suggestions.get(), news));
  }

  presenceChanged(message: Extract<DownMessage, { type: "presence" }>): void {
    this.#presence.take(message, this.length);
  }

  /** There is nothing to follow under this id, or not now: then it is asked for again. */
  watchRefused(reason: Refusal): void {
    if (reason.code === "BLOCK_NOT_FOUND") {
      this.#gone(reason);
      return;
    }
    this.#tellRefused(reason, null);
    if (!mayBeWatchedLater(reason)) return;
    // A whole copy says that it is followed again, also where nothing is new.
    this.#watchRetry.later(() => this.#join(0));
  }

  /** The block is not there (any more): no copy will come, and what was not confirmed is lost. */
  #gone(reason: Refusal): void {
    this.#awaiting = false;
    this.#tellRefused(reason, this.#dropEdits());
    for (const resolve of this.#steadyWaiters.splice(0)) resolve();
  }

  /** The server has taken the push of this request; false when it is not ours. */
  pushed(requestId: RequestId): boolean {
    const index = this.#segments.findIndex((segment) => segment.requestId === requestId);
    if (index === -1) return false;
    this.#segments.splice(index, 1);
    this.#confirmed.add(requestId);
    this.#pushRetry.worked();
    const told = this.#refused.get();
    if (told !== null && waitingFor(told).told && lostIn(told) === null) this.#refused.set(null);
    this.#flush();
    this.#count();
    // Others may have counted our place in a text without these edits; now it is told in one that all have.
    if (this.unconfirmed.get() === 0) this.#presence.resend();
    return true;
  }

  /** The server has refused the push of this request; false when it is not ours. */
  pushRefused(requestId: RequestId, reason: Refusal): boolean {
    if (!this.#segments.some((segment) => segment.requestId === requestId)) return false;
    const { sentAgain, told } = waitingFor(reason);
    if (sentAgain) {
      if (told) this.#tellRefused(reason, null);
      this.#pushRetry.later(() => this.#sendAgain());
      return true;
    }
    if (reason.code === "UPDATE_GAP" || reason.code === "VERSION_UNKNOWN") {
      this.#rejoin();
      return true;
    }
    this.#lose(reason);
    return true;
  }

  /** Gives up every edit made so far and says so; what is typed from now on goes on the fresh copy. */
  #lose(reason: Refusal): void {
    this.#tellRefused(reason, this.#dropEdits());
    this.#rejoin();
  }

  #tellRefused(reason: Refusal, lost: string | null): void {
    this.#refused.set(withLost(reason, this.#refused.get(), lost));
  }

  #tell(changes: readonly TextChange[], origin: TextOrigin): void {
    this.#presence.map(changes);
    for (const listener of this.#listeners) listener(changes, origin);
  }

  #join(afterVersion: number): void {
    this.#options.send({ type: "watch-block", blockId: this.blockId, afterVersion });
  }

  #rejoin(): void {
    this.#awaiting = true;
    this.#join(0);
  }

  /** Merges one change into the text; false when that could not be done and a fresh copy is on its way. */
  #take(doc: TextDocument, change: BlockChange): boolean {
    const { what } = change;
    if (what.type !== "text" && what.type !== "created") return true;
    const { requestId } = change;
    if (requestId !== undefined && (this.#confirmed.has(requestId) || this.pushed(requestId))) {
      this.#confirmed.delete(requestId);
      return true;
    }
    this.#closeOpen();
    const merged = doc.merge(what.update, trustedLimits);
    if (!merged.ok) {
      // It builds on what we do not have, or was done under our agent by somebody else: our edits' numbers are taken then.
      this.#rejoin();
      return false;
    }
    this.#tell(merged.value.delta, { type: "remote", actor: change.actor });
    this.#flush();
    return true;
  }

  #follow(change: BlockChange): void {
    const header = this.#header.get();
    if (header !== null) this.#header.set(headerAfter(header, change));
    if (change.what.type === "deleted") this.#gone(refusal("BLOCK_NOT_FOUND", { block_id: this.blockId }));
  }

  /** Puts a fresh copy in place of the text, with the edits that the server does not have yet made on it again. */
  #replace(before: TextDocument, doc: TextDocument, another: () => TextDocument): void {
    const agent = must(this.#agent, "a snapshot comes after the welcome");
    const former = must(this.#editAgent, "a page with a text had an agent");
    this.#closeOpen();
    this.#doc = doc;
    this.#editAgent = agent;
    // The numbers alone do not say so: another page may have edited under them.
    const isThere = ({ endSeq, update }: Segment): boolean =>
      endSeq <= doc.nextSeq(former) && doc.merge(update, trustedLimits).ok;
    this.#segments = this.#segments.filter((segment) => !isThere(segment));
    if (this.#segments.length === 0) return;
    if (former === agent) {
      if (this.#segments.every((segment) => doc.merge(segment.update, trustedLimits).ok)) return;
      // It may have taken the first of them: all are made anew together.
      this.#doc = another();
    }
    this.#transplant(before, this.#doc, former);
  }

  /** Makes the unconfirmed edits anew under today's agent, as changes of the fresh text. */
  #transplant(before: TextDocument, doc: TextDocument, former: AgentId): void {
    const edits = this.#segments;
    this.#segments = [];
    const withEdits = before.text();
    const spans: readonly OpSpan[] = edits.map(({ seq, endSeq }) => ({ agent: former, seq, length: endSeq - seq }));
    const cancelled = before.cancel(former, spans);
    assert(cancelled.ok, "edits made here can be taken back here");
    const own = invert(withEdits, cancelled.value.delta);
    const steps = inSteps(rebase(own, replacement(before.text(), doc.text())), pushUnitsMax);
    const count = edits.reduce((sum, segment) => sum + segment.edits, 0);
    for (const [index, step] of steps.entries()) {
      if (this.#make(step, index === 0 ? count : 1).ok) continue;
      this.#tellRefused(refusal("CONFLICT"), wordsIn(edits));
      return;
    }
  }

  /** Ends the open edits: they are one segment from now on. */
  #closeOpen(): void {
    const agent = this.#editAgent;
    if (this.#open === null || this.#doc === null || agent === null) return;
    const { base, seq, inserted, edits } = this.#open;
    this.#open = null;
    this.#segments.push({
      requestId: this.#options.nextRequestId(),
      update: this.#doc.updateSince(base),
      seq,
      endSeq: this.#doc.nextSeq(agent),
      inserted,
      edits,
      sent: false,
      beforeHold: false,
    });
  }

  /** Sends what waits, unless a push is under way: what is typed meanwhile goes together in the next one. */
  #flush(): void {
    if (this.#awaiting || this.#doc === null) return;
    const held = this.#held || this.#version < this.#heldUntilVersion;
    if (!held && this.#segments.some((segment) => segment.sent)) return;
    if (!held) this.#closeOpen();
    for (const segment of this.#segments) {
      if (segment.sent || (held && !segment.beforeHold)) continue;
      if (segment.update.length > updateBytesMax) {
        this.#lose(refusal("UPDATE_TOO_LARGE", { actual: segment.update.length, max: updateBytesMax }));
        return;
      }
      segment.sent = true;
      this.#options.send({
        type: "push",
        requestId: segment.requestId,
        blockId: this.blockId,
        update: encodeBase64(segment.update),
      });
    }
  }

  /** Gives up every unconfirmed edit; the answer is all text that was typed in them, null when there are none. */
  #dropEdits(): string | null {
    this.#closeOpen();
    if (this.#segments.length === 0) return null;
    const lost = wordsIn(this.#segments);
    this.#segments = [];
    this.#count();
    return lost;
  }

  #sendAgain(): void {
    for (const segment of this.#segments) segment.sent = false;
    this.#flush();
  }

  #cancelRetries(): void {
    this.#pushRetry.cancel();
    this.#watchRetry.cancel();
  }

  #count(): void {
    const waiting = this.#segments.reduce((sum, segment) => sum + segment.edits, this.#open?.edits ?? 0);
    if (waiting === this.#unconfirmed.get()) return;
    this.#unconfirmed.set(waiting);
    this.#options.unconfirmedChanged();
  }
}
