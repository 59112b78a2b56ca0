import { assert, must } from "../../../core/base/assert.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { hash8 } from "../../../core/base/hash.ts";
import type { BlockId, RequestId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { BlockChange, BlockChangeBody, BlockHeader } from "../../../core/block/types.ts";
import { headerAfter } from "../../../core/block/header-after.ts";
import { changeKind, changeKindOfDelta } from "../../../core/block/change-kind.ts";
import { ThreadRanges } from "../../../core/block/comment/thread-ranges.ts";
import type { Thread } from "../../../core/block/comment/thread.ts";
import type { SnapshotRecord, Store } from "../../../core/port/store.ts";
import { openDocument } from "../../../core/text/document.ts";
import { trustedLimits } from "../../../core/text/trusted-limits.ts";
import type {
  ReplicaId,
  OpSpan,
  TextChange,
  TextDocument,
  TextEdit,
  TextRefusal,
  TextVersion,
} from "../../../core/text/types.ts";
import { hubLimits, type Retention } from "../record/limits.ts";
import { readLogStart } from "../record/log-start.ts";
import {
  dueBytes,
  nextCompactionByLength,
  withOwners,
  type Compaction,
  type CompactionDue,
} from "../record/retention.ts";
import { TextVersions } from "../record/text-versions.ts";
import type { Author } from "../record/types.ts";
import { UndoLedger } from "../record/undo-ledger.ts";
import type { Writer } from "../record/writer.ts";

/**
 * One block in memory: its header and its text with history. The block is ahead of the store only while its queue commits;
 * after a refused commit it is dropped and read from the store again.
 */
export class OpenBlock {
  #header: BlockHeader;
  readonly document: TextDocument;
  readonly #textVersions = new TextVersions(hubLimits.textVersionsKept);
  readonly #typingByReplica = new Map<
    ReplicaId,
    { readonly unitId: string; readonly at: number; readonly changes: number }
  >();
  #ledger: UndoLedger | null = null;
  /** Held weakly: watchers that join at the same time share one snapshot, and it is not kept afterwards. */
  #snapshot: WeakRef<TextSnapshot> | null = null;
  /** The threads of comments on the text; null for a block without any. */
  #threads: ThreadRanges | null = null;
  #compactLater: CompactionDue | null = null;
  /** Bytes of text and history when compaction last found nothing to drop. */
  #bytesLookedAt = 0;
  /** The version up to which the log was read and written. */
  #version = 0;
  #changesSinceSnapshot = 0;
  #bytesSinceSnapshot = 0;
  /** Size of the last snapshot. */
  #snapshotBytes = 0;

  constructor(header: BlockHeader, document: TextDocument) {
    this.#header = header;
    this.document = document;
  }

  get threads(): ThreadRanges | null {
    return this.#threads;
  }

  /** Begins to carry threads of comments along with the text. */
  trackThreads(threads: readonly Thread[]): ThreadRanges {
    return (this.#threads = new ThreadRanges(this.document, threads));
  }

  get header(): BlockHeader {
    return this.#header;
  }

  get id(): BlockId {
    return this.#header.id;
  }

  /** Records a mutation that is already applied to the text; returns the row for the store. */
  note(author: Author, given: BlockChangeBody, at: number, requestId?: RequestId): BlockChange {
    const header = headerAfter(this.#header, { version: this.#header.version + 1, at, body: given });
    const body: BlockChangeBody = given.type === "created" ? { ...given, header } : given;
    const change: BlockChange = {
      blockId: header.id,
      documentId: header.documentId,
      version: header.version,
      actor: author.actor,
      at,
      ...(requestId === undefined ? {} : { requestId }),
      body,
    };
    this.#header = header;
    this.#track(change);
    this.#ledger?.take(change, author.replica);
    return change;
  }

  get version(): number {
    return this.#version;
  }

  /** Size of the last snapshot. */
  get snapshotBytes(): number {
    return this.#snapshotBytes;
  }

  /** Records the snapshot from which the document was opened. */
  openedFrom({ version, bytes }: SnapshotRecord): void {
    this.#version = version;
    this.#snapshotBytes = bytes.length;
    this.#rememberTextVersion(version);
  }

  /** Applies the stored changes that come next. */
  replay(changes: readonly BlockChange[]): void {
    for (const change of changes) {
      const { version, body } = change;
      assert(version === this.#version + 1, `the log of ${this.id} has no gaps`);
      if ((body.type === "created" || body.type === "text") && body.update.length > 0) {
        const merged = this.document.merge(body.update, trustedLimits);
        assert(merged.ok, `the stored change ${version} of ${this.id} can be read`);
      }
      this.#track(change);
    }
  }

  /** Takes the header that belongs to the end of the log that was read. */
  readTo(header: BlockHeader): void {
    assert(this.#version === header.version, `the log of ${this.id} ends at its header's version`);
    this.#header = header;
  }

  #track(change: BlockChange): void {
    this.#version = change.version;
    this.#snapshot = null;
    this.#rememberTextVersion(change.version);
    this.#changesSinceSnapshot += 1;
    if (change.body.type === "created" || change.body.type === "text") {
      this.#bytesSinceSnapshot += change.body.update.length;
    }
  }

  #rememberTextVersion(version: number): void {
    this.#textVersions.set(version, this.document.version());
  }

  /** Returns the text version at a block version; undefined when it is too old to be in memory. */
  textVersionAt(version: number): TextVersion | undefined {
    return this.#textVersions.get(version);
  }

  /** Encodes the text with its history, for storage. */
  encode(): Uint8Array {
    return this.document.encode(encodeText);
  }

  /** After how many changes the next snapshot is worth writing. */
  get snapshotChanges(): number {
    const { snapshotChangesMin, snapshotChangesMax, changeRowBytes, snapshotPerChanges } = hubLimits;
    const worthIt = this.#bytes / (changeRowBytes * snapshotPerChanges);
    return Math.min(snapshotChangesMax, Math.max(snapshotChangesMin, worthIt));
  }

  /**
   * Whether a snapshot is due: `changes` changes were made since the last one, or many bytes. A snapshot writes the whole
   * log, so that a longer log waits for more bytes: all that is written for a log that only grows is then in proportion to it.
   */
  isSnapshotDue(changes: number): boolean {
    const fromBytes = Math.max(hubLimits.snapshotBytes, this.#snapshotBytes);
    return this.#changesSinceSnapshot >= changes || this.#bytesSinceSnapshot >= fromBytes;
  }

  /** Encodes the text with its history for a snapshot that the caller stores. */
  encodeSnapshot(): Uint8Array {
    const bytes = this.encode();
    this.#snapshotTaken(bytes.length);
    return bytes;
  }

  /** Does the same in steps, between which the block may change: see TextDocument. Null when the block was compacted. */
  *encodeSnapshotInSteps(): Generator<undefined, Uint8Array | null, undefined> {
    this.#snapshotTaken(this.#bytes);
    const bytes = yield* this.document.encodeInSteps(encodeText);
    if (bytes !== null) this.#snapshotBytes = bytes.length;
    return bytes;
  }

  #snapshotTaken(bytes: number): void {
    this.#changesSinceSnapshot = 0;
    this.#bytesSinceSnapshot = 0;
    this.#snapshotBytes = bytes;
  }

  /** About how many bytes the text has with its history, as the store has it. */
  get #bytes(): number {
    return this.#snapshotBytes + this.#bytesSinceSnapshot;
  }

  /**
   * Returns the undo unit of an edit typed now: the author's last unit when it is less than a pause ago and not full.
   * `at` is monotonic, because the clock may be set back while a person types.
   */
  typingUnit(replica: ReplicaId, at: number): string {
    const last = this.#typingByReplica.get(replica);
    const goesOn =
      last !== undefined && at - last.at < hubLimits.typingPauseMs && last.changes < hubLimits.typingChangesMax;
    const unitId = goesOn ? last.unitId : `typing/${replica}/${this.#header.version + 1}`;
    this.#typingByReplica.set(replica, { unitId, at, changes: goesOn ? last.changes + 1 : 1 });
    return unitId;
  }

  /** Ends the author's typing unit: the next typed edit begins a new unit. */
  endTyping(replica: ReplicaId): void {
    this.#typingByReplica.delete(replica);
  }

  /**
   * Returns the text with its history, and the text's hash, for a watcher that joins now: the same object until a change.
   */
  snapshot(): TextSnapshot {
    const known = this.#snapshot?.deref();
    if (known !== undefined) return known;
    const snapshot = { document: this.encode(), textHash: hash8(this.document.text()) };
    this.#snapshot = new WeakRef(snapshot);
    return snapshot;
  }

  /** Returns a copy of the block for a dry run; changes to it are never stored or sent. */
  copy(): OpenBlock {
    const copied = openDocument(this.snapshot().document, trustedLimits, decodeText);
    assert(copied.ok, `the text of ${this.id} can be read`);
    return new OpenBlock(this.#header, copied.value);
  }

  get ledger(): UndoLedger {
    return must(this.#ledger, "the undo ledger was opened");
  }

  /** Returns whether the block may have history to compact. `now` in UTC milliseconds. */
  isCompactionDue(now: number, retention: Retention): boolean {
    const { notBefore, unlessVersion } = this.#compactLater ?? nextCompactionByLength(1, retention);
    return now >= notBefore || this.#header.version >= unlessVersion || this.isLarge(retention);
  }

  /** Whether the history takes so much memory and disk that it is compacted at once. */
  isLarge(retention: Retention): boolean {
    return this.#bytes >= dueBytes(retention, this.#bytesLookedAt);
  }

  compactLater(later: CompactionDue): void {
    this.#compactLater = later;
    this.#bytesLookedAt = this.#bytes;
  }

  /** Compacts the history in memory; the caller stores the result next. */
  compact({ from: { beforeVersion, textVersion }, spans }: Compaction, retention: Retention): void {
    this.document.compact([textVersion], spans);
    this.#textVersions.forgetBefore(beforeVersion);
    this.#textVersions.set(beforeVersion - 1, textVersion);
    this.#ledger = null;
    this.#snapshot = null;
    this.#compactLater = nextCompactionByLength(beforeVersion, retention);
    this.#bytesLookedAt = 0;
  }

  /** Reads the undo ledger from the block's log on the first call. */
  async openLedger(store: Store, ownerOf: (replica: ReplicaId) => Promise<ReplicaId>): Promise<void> {
    if (this.#ledger !== null) return;
    const { beforeVersion, undo } = await readLogStart(store, this.id);
    const ledger = new UndoLedger(undo);
    const log = await store.changes({ blockId: this.id, afterVersion: beforeVersion - 1 });
    for (const { change, owner } of await withOwners(log, ownerOf)) ledger.take(change, owner);
    this.#ledger = ledger;
  }

  /** Applies changes planned against the text at `at`; returns the mutation. */
  edit(author: Writer, changes: readonly TextChange[], at?: TextVersion): Result<TextMutation, Refusal> {
    const grown = changes.reduce((sum, change) => sum + change.insert.length - (change.to - change.from), 0);
    if (grown > 0 && this.document.length + grown > hubLimits.textUnitsMax) {
      return err(refusal("BLOCK_TOO_LARGE", { actual: this.document.length + grown, max: hubLimits.textUnitsMax }));
    }
    const before = this.#beforeEdit();
    const edited = this.document.edit(author.serverReplica, changes, at);
    if (!edited.ok) return err(textRefusal(edited.error));
    return ok(this.#mutation(author, edited.value, before));
  }

  /** Merges a client's update; refused when it carries operations of another agent. */
  merge(author: Author, update: Uint8Array): Result<TextMutation, Refusal> {
    const before = this.#beforeEdit();
    const merged = this.document.merge(update, {
      updateBytesMax: hubLimits.updateBytesMax,
      operationsMax: hubLimits.updateOperationsMax,
      textUnitsMax: hubLimits.textUnitsMax,
      replica: author.replica,
    });
    if (!merged.ok) return err(textRefusal(merged.error));
    return ok(this.#mutation(author, { ...merged.value, update }, before));
  }

  /** Reverts exactly the effect of these operations. */
  cancel(author: Writer, spans: readonly OpSpan[]): Result<TextMutation, Refusal> {
    const before = this.#beforeEdit();
    const cancelled = this.document.cancel(author.serverReplica, spans);
    if (!cancelled.ok) return err(textRefusal(cancelled.error));
    return ok(this.#mutation(author, cancelled.value, { ...before, cancels: true }));
  }

  #beforeEdit(): TextBefore {
    return { length: this.document.length, version: this.document.version() };
  }

  #mutation(author: Author, edit: TextEdit, before: TextBefore): TextMutation {
    if (edit.spans.length === 0) return { body: null, delta: [] };
    const appended = this.#appended(edit.delta, before);
    const body: TextBody = {
      type: "text",
      update: edit.update,
      spans: edit.spans,
      unit: author.unit,
      ...(appended === undefined ? {} : { appended }),
      ...(this.header.status === "pending" ? { starts: true } : {}),
    };
    this.#threads?.changed({
      delta: edit.delta,
      unitId: author.unit.id,
      cancels: before.cancels === true,
      textBefore: () => this.#textBefore(before),
    });
    return { body, delta: edit.delta };
  }

  #textBefore({ version }: TextBefore): string {
    const earlier = this.document.textAt(version);
    assert(earlier.ok, "the version before an edit is known");
    return earlier.value;
  }

  /**
   * Returns the added text when the text only grew at its end: decided by the texts before and after, not by the call
   * (B-27).
   */
  #appended(delta: readonly TextChange[], before: TextBefore): string | undefined {
    const grown = changeKindOfDelta(before.length, delta);
    if (grown.type === "appended") return grown.text;
    // Only a change that reaches the end of the text can have replaced the end by the same text and more.
    if (delta.at(-1)?.to !== before.length || this.document.length <= before.length) return undefined;
    const kind = changeKind(this.#textBefore(before), this.document.text());
    return kind.type === "appended" ? kind.text : undefined;
  }
}

/** A block's text and history as sent whole. */
interface TextSnapshot {
  readonly document: Uint8Array;
  readonly textHash: string;
}

type TextBody = Extract<BlockChangeBody, { type: "text" }>;

/** A change of the text in memory: the body of its row, null when nothing changed. */
export interface TextMutation {
  readonly body: TextBody | null;
  /** Changes against the text right before. */
  readonly delta: readonly TextChange[];
}

interface TextBefore {
  readonly length: number;
  readonly version: TextVersion;
  /** Set for an undo or a redo. */
  readonly cancels?: true;
}

const encoder = new TextEncoder();

function encodeText(text: string): Uint8Array {
  return encoder.encode(text);
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Converts a refusal of the text engine to one of the wire. */
export function textRefusal(error: TextRefusal): Refusal {
  const { code, ...details } = error;
  return refusal(code, details);
}
