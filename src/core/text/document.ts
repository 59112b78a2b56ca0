/** The text of one block with its history; see `TextDocument`. */

import { assert } from "../base/assert.ts";
import { err, ok, type Result } from "../base/result.ts";
import { addSpan } from "./add-span.ts";
import { blamed } from "./blame.ts";
import { Branch, replay } from "./branch.ts";
import { checkChange, checkChanges } from "./check-changes.ts";
import { forgettable, settledAt } from "./compaction.ts";
import { DeltaBuilder } from "./delta.ts";
import { difference } from "./difference.ts";
import { decodeStored, encodeInSteps, encodeStored, openStored, type StoredDocument } from "./document-codec.ts";
import { sameVersion, sortedLvs, top, type Version } from "./graph/version.ts";
import { cancellation, deletion, endMax, History, insertion, type Op, redeletion } from "./history.ts";
import { located } from "./locate.ts";
import { noOp, receivedRun } from "./received-run.ts";
import { Rope } from "./rope.ts";
import type {
  ReplicaId,
  BlameSpan,
  MergedUpdate,
  OpId,
  OpSpan,
  TextChange,
  TextDocument,
  TextEdit,
  TextLimits,
  TextRange,
  TextRefusal,
  TextVersion,
} from "./types.ts";
import { decodeUpdate, encodeTyped, encodeUpdate, type WireRun } from "./update-codec.ts";
import { joined, unitsOf, within } from "./undo-units.ts";
import { mergedFromNothing } from "./from-nothing.ts";
import { hasSurrogate } from "./surrogates.ts";
import { placesInLine } from "./linear-places.ts";
import { mergedLine } from "./two-lines.ts";
import type { Walker } from "./walker.ts";
import { wireRuns } from "./wire-runs.ts";

/** Creates a document without text or history. */
export function createDocument(): TextDocument {
  return new HistoricDocument(new History(), new Rope());
}

/**
 * Decodes the output of `encode`; `limits` apply as to an update. Refuses with UPDATE_CORRUPT or UPDATE_TOO_LARGE. Checks
 * all bytes at once; parses the history when it is first needed.
 */
export function decodeDocument(bytes: Uint8Array, limits: TextLimits): Result<TextDocument, TextRefusal> {
  return opened(decodeStored(bytes, limits));
}

/**
 * Opens the output of `encode` from our own store: checks the text now, and the history when it is first needed, which
 * throws `MalformedBytes` if it is damaged. `decodeText` is the platform's UTF-8 decoder; it keeps everything (such as a
 * byte order mark), and returns undefined for bytes that are not UTF-8.
 */
export function openDocument(
  bytes: Uint8Array,
  limits: TextLimits,
  decodeText: (bytes: Uint8Array) => string | undefined,
): Result<TextDocument, TextRefusal> {
  return opened(openStored(bytes, limits, decodeText));
}

function opened(stored: Result<StoredDocument, TextRefusal>): Result<TextDocument, TextRefusal> {
  if (!stored.ok) return stored;
  const history = new History();
  history.open(stored.value.history);
  return ok(new HistoricDocument(history, new Rope(stored.value.text)));
}

/** Steps that another replica's update may take besides the text itself: about 20 ms. */
const effortMax = 200_000;

/** A walker over the whole history is kept for the next blame unless it has more runs than this. */
const completeRunsMax = 20_000;

class HistoricDocument implements TextDocument {
  private readonly history: History;
  private readonly branch: Branch;
  /** The version last returned for the heads: an edit reads it before and after. */
  private named: { readonly heads: Version; readonly ids: TextVersion } | undefined = undefined;
  /** A walker over the whole kept history; created at the first blame. */
  private complete: Walker | undefined = undefined;

  constructor(history: History, rope: Rope) {
    this.history = history;
    this.branch = new Branch({ history, rope, end: history.end, version: history.graph.heads, recording: true });
  }

  get length(): number {
    return this.rope.length;
  }

  get utf8Length(): number {
    return this.rope.utf8Length;
  }

  text(): string {
    return this.rope.toString();
  }

  slice(from: number, to: number): string {
    return this.rope.slice(Math.max(0, from), Math.min(to, this.rope.length));
  }

  version(): TextVersion {
    const { heads } = this.history.graph;
    if (this.named?.heads !== heads) {
      const ids = this.history.idsOf(heads).sort((a, b) => a.replica - b.replica || a.seq - b.seq);
      this.named = { heads, ids };
    }
    return this.named.ids;
  }

  nextSeq(replica: ReplicaId): number {
    return this.history.nextSeq(replica);
  }

  lineCount(): number {
    const { rope } = this;
    if (rope.length === 0) return 0;
    return rope.newlineCount + (rope.charCodeAt(rope.length - 1) === newline ? 0 : 1);
  }

  lineStart(line: number): number {
    const { rope } = this;
    assert(Number.isInteger(line) && line >= 0 && line <= this.lineCount(), "a line of the text");
    return line > rope.newlineCount ? rope.length : rope.afterNewline(line);
  }

  utf16FromUtf8(offset: number): number | undefined {
    return this.rope.utf16FromUtf8(offset);
  }

  edit(replica: ReplicaId, changes: readonly TextChange[], at?: TextVersion): Result<TextEdit, TextRefusal> {
    return this.change(replica, changes, at, true);
  }

  apply(replica: ReplicaId, changes: readonly TextChange[]): Result<Omit<TextEdit, "update">, TextRefusal> {
    return this.change(replica, changes, undefined, false);
  }

  private change(
    replica: ReplicaId,
    changes: readonly TextChange[],
    at: TextVersion | undefined,
    encoded: boolean,
  ): Result<TextEdit, TextRefusal> {
    const typed = changes.length === 1 && at === undefined ? changes[0] : undefined;
    if (typed !== undefined && this.history.endsWith(replica)) return this.type(replica, typed, changes, encoded);
    let parents = this.branch.version;
    if (at !== undefined) {
      const resolved = this.resolve(at);
      if (!resolved.ok) return resolved;
      parents = resolved.value;
    }
    const atHead = sameVersion(parents, this.branch.version);
    const walker = atHead || changes.length === 0 ? undefined : this.branch.walkerBelow(top(parents));
    walker?.moveTo(parents);
    const refusal = checkChanges(changes, walker ?? this.branch.text);
    if (refusal !== undefined) return err(refusal);
    const before = this.rope.length;
    const runs: WireRun[] = [];
    let shift = 0;
    for (const { from, to, insert } of changes) {
      const pos = from + shift;
      if (to > from) {
        const length = to - from;
        parents = this.write(
          replica,
          runs,
          { kind: deletion, pos, length, back: false, text: undefined, ref: 0 },
          parents,
        );
      }
      if (insert !== "") {
        const { length } = insert;
        parents = this.write(
          replica,
          runs,
          { kind: insertion, pos, length, back: false, text: insert, ref: 0 },
          parents,
        );
      }
      shift += insert.length - (to - from);
    }
    return ok(this.finish(runs, before, atHead ? changes : undefined, encoded));
  }

  cancel(replica: ReplicaId, spans: readonly OpSpan[]): Result<TextEdit, TextRefusal> {
    const units = unitsOf(this.history, spans);
    if (!units.ok) return units;
    const { insertions, deletions, refs } = units.value;
    const before = this.rope.length;
    const runs: WireRun[] = [];
    let lowestLv = Number.POSITIVE_INFINITY;
    for (const { lv } of [...insertions, ...deletions, ...refs]) lowestLv = Math.min(lowestLv, lv);
    if (lowestLv === Number.POSITIVE_INFINITY) return ok(this.finish(runs, before, undefined, true));
    const inLine = deletions.length + refs.length === 0 ? placesInLine(this.history, insertions) : null;
    if (inLine !== null) {
      this.deleteAll(replica, runs, inLine);
      return ok(this.finish(runs, before, undefined, true));
    }
    const walker = this.branch.walkerBelow(lowestLv - 1);
    for (const { lv, length } of refs) {
      this.write(replica, runs, { ...noOp, kind: redeletion, length, ref: lv }, this.branch.version);
    }
    const effective = deletions.flatMap(({ lv, length }) => walker.effectiveDeletions(lv, lv + length));
    const isOwn = within(insertions);
    for (const { lv, length, target } of effective) {
      // Deletions of text that the same undo removes need no cancellation.
      if (!isOwn(target, length))
        this.write(replica, runs, { ...noOp, kind: cancellation, length, ref: lv }, this.branch.version);
    }
    const walked = this.branch.walkerBelow(lowestLv - 1);
    const visible = insertions.flatMap(({ lv, length }) => walked.visibleInsertions(lv, lv + length));
    this.deleteAll(replica, runs, visible);
    return ok(this.finish(runs, before, undefined, true));
  }

  /** Deletes these ranges of the newest text. */
  private deleteAll(
    replica: ReplicaId,
    runs: WireRun[],
    ranges: readonly { readonly at: number; readonly length: number }[],
  ): void {
    for (const { at, length } of joined(ranges)) {
      this.write(replica, runs, { ...noOp, kind: deletion, pos: at, length }, this.branch.version);
    }
  }

  merge(update: Uint8Array, limits: TextLimits): Result<MergedUpdate, TextRefusal> {
    const decoded = decodeUpdate(update, limits);
    if (!decoded.ok) return decoded;
    const typed = this.mergeTyped(decoded.value, limits);
    if (typed !== undefined) return ok(typed);
    const together =
      mergedLine(this.history, this.rope, decoded.value, limits.textUnitsMax) ??
      // What one replica sends is bounded by the work that it makes, which only the way below counts.
      (limits.replica === undefined
        ? mergedFromNothing(this.history, this.rope, decoded.value, limits.textUnitsMax)
        : undefined);
    if (together !== undefined) {
      this.branch.follow();
      return ok(together);
    }
    const { end, graph } = this.history;
    const { heads } = graph;
    const before = this.rope.length;
    const spans: OpSpan[] = [];
    let previous: OpId | undefined;
    this.branch.effort = graph.steps = 0;
    for (const run of decoded.value) {
      const refusal = this.mergeRun(run, previous, limits, spans);
      if (refusal !== undefined) {
        this.branch.rollBack(end, heads);
        if (this.complete !== undefined && this.complete.end > end) this.complete = undefined;
        if (this.history.end > end) this.history.truncate(end, heads);
        return err(refusal);
      }
      previous = { replica: run.replica, seq: run.seq + run.length - 1 };
    }
    return ok({ delta: this.delta(before), spans });
  }

  textAt(version: TextVersion): Result<string, TextRefusal> {
    if (version.length === 0) return ok("");
    const resolved = this.resolve(version);
    if (!resolved.ok) return resolved;
    const { graph, end } = this.history;
    const wanted = resolved.value;
    if (sameVersion(wanted, graph.heads)) return ok(this.text());
    const last = top(wanted);
    const base = graph.criticalAtOrBelow(last);
    // Walks back from the head or forward from the beginning, whichever is nearer.
    const branch = end - base <= last - this.history.begin ? this.branch : replay(this.history, last + 1);
    if (sameVersion(wanted, branch.version)) return ok(branch.text.rope.toString());
    const walker = branch.passingWalker(last);
    walker.moveTo(wanted);
    let text = "";
    for (const item of walker.visit()) if (item.now) text += item.text();
    return ok(text);
  }

  diff(from: TextVersion, to: TextVersion): Result<readonly TextChange[], TextRefusal> {
    if (this.history.begin > 0 && (from.length === 0 || to.length === 0)) return this.diffWithNothing(from, to);
    const resolvedFrom = this.resolve(from);
    if (!resolvedFrom.ok) return resolvedFrom;
    const resolvedTo = this.resolve(to);
    if (!resolvedTo.ok) return resolvedTo;
    if (sameVersion(resolvedFrom.value, resolvedTo.value)) return ok([]);
    const walker = this.branch.passingWalker(Math.min(top(resolvedFrom.value), top(resolvedTo.value)));
    return ok(difference(walker, resolvedFrom.value, resolvedTo.value));
  }

  updateSince(version: TextVersion): Uint8Array {
    const { history } = this;
    const known = version.flatMap(({ replica, seq }) => history.lvOf(replica, seq) ?? []);
    if (known.length === 0 && history.begin > 0) known.push(history.begin - 1);
    const { onlyA } = history.graph.diff(history.graph.heads, history.graph.dominators(sortedLvs(known)));
    return encodeUpdate(wireRuns(history, onlyA));
  }

  blame(from: number, to: number): readonly BlameSpan[] {
    return blamed(this.completeWalker(), this.history, from, to);
  }

  locate(places: readonly (readonly OpSpan[])[]): readonly (TextRange | null)[] {
    // A document without comments is asked for no places, and its history need not be read for that.
    if (places.length === 0) return [];
    const walker = this.completeWalker();
    return places.map((spans) => located(walker, this.history, spans));
  }

  private completeWalker(): Walker {
    const complete = this.complete ?? this.branch.passingWalker(this.history.begin - 1);
    complete.feed(this.history.end);
    this.complete = complete.size <= completeRunsMax ? complete : undefined;
    return complete;
  }

  compact(versions: readonly TextVersion[], spans: readonly OpSpan[]): number {
    const { history } = this;
    const needed = versions.flatMap((version) => {
      const known = version.flatMap(({ replica, seq }) => history.lvOf(replica, seq) ?? []);
      return known.length > 0 || version.length === 0 ? [sortedLvs(known)] : [];
    });
    const last = forgettable(history, needed, spans);
    const count = last + 1 - history.begin;
    if (count === 0) return 0;
    history.forget(settledAt(history, last));
    this.branch.forget();
    this.complete = undefined;
    return count;
  }

  encode(encodeText?: (text: string) => Uint8Array): Uint8Array {
    return this.history.unreadBytes ?? encodeStored(this.history, this.text(), encodeText);
  }

  *encodeInSteps(encodeText?: (text: string) => Uint8Array): Generator<undefined, Uint8Array | null, undefined> {
    const { history } = this;
    if (history.unreadBytes !== undefined) return history.unreadBytes.slice();
    const { begin } = history;
    const steps = encodeInSteps(history, this.text(), encodeText);
    let step = steps.next();
    while (step.done !== true) {
      yield;
      if (history.begin !== begin) return null;
      step = steps.next();
    }
    return step.value;
  }

  private get rope(): Rope {
    return this.branch.text.rope;
  }

  private diffWithNothing(from: TextVersion, to: TextVersion): Result<readonly TextChange[], TextRefusal> {
    const before = this.textAt(from);
    if (!before.ok) return before;
    const after = this.textAt(to);
    if (!after.ok) return after;
    const change = { from: 0, to: before.value.length, insert: after.value };
    return ok(change.to === 0 && change.insert === "" ? [] : [change]);
  }

  private resolve(version: TextVersion): Result<Version, TextRefusal> {
    const lvs: number[] = [];
    if (version.length === 0 && this.history.begin > 0) {
      return err({ code: "VERSION_UNKNOWN", missing: this.history.settledText().head });
    }
    for (const id of version) {
      const lv = this.history.lvOf(id.replica, id.seq);
      // No operation ends inside a surrogate pair, so this version never existed.
      if (lv === undefined || this.history.partsPair(lv)) return err({ code: "VERSION_UNKNOWN", missing: id });
      lvs.push(lv);
    }
    return ok(this.history.graph.dominators(sortedLvs(lvs)));
  }

  /** A keystroke of the replica that wrote last: the most frequent edit, on a fast path. */
  private type(
    replica: ReplicaId,
    change: TextChange,
    changes: readonly TextChange[],
    encoded: boolean,
  ): Result<TextEdit, TextRefusal> {
    const refusal = checkChange(change, 0, this.branch.text);
    if (refusal !== undefined) return err(refusal);
    const { from: pos, to, insert } = change;
    const [removed, inserted] = [to - pos, insert.length];
    if (removed + inserted === 0) return ok({ update: noBytes, spans: [], delta: [] });
    const { history, rope } = this;
    let seq = -1;
    if (removed > 0) seq = history.type(deletion, pos, rope.remove(pos, removed));
    if (inserted > 0) {
      rope.insert(pos, insert);
      const first = history.type(insertion, pos, insert);
      if (seq < 0) seq = first;
    }
    assert(history.end < endMax, "the history has room");
    this.branch.follow();
    const update = encoded ? encodeTyped(replica, seq, change) : noBytes;
    return ok({ update, spans: [{ replica, seq, length: removed + inserted }], delta: changes });
  }

  /** Applies a checked local operation and records it for the update. Returns the resulting version. */
  private write(replica: ReplicaId, runs: WireRun[], op: Op, parents: Version): Version {
    const { history } = this;
    const seq = history.nextSeq(replica);
    const { kind, pos, length, back, text } = op;
    const ids = runs.length === 0 ? this.history.idsOf(parents) : undefined;
    const ref = kind >= cancellation ? history.idOf(op.ref) : undefined;
    const run = { replica, seq, kind, pos, length, back, text, ref, parents: ids, paired: false };
    runs.push(run);
    const refusal = this.take(op, run, parents);
    assert(refusal === undefined, `a checked operation is accepted, not refused with ${refusal?.code}`);
    return this.branch.version.length === 1 ? this.branch.version : [history.end - 1];
  }

  private take(op: Op, author: OpId, parents: Version): TextRefusal | undefined {
    const applied = this.branch.take(op, author, parents);
    if (!applied.ok) return applied.error;
    const text = applied.value;
    const { kind, length } = op;
    const paired = kind !== insertion && length > 1 && this.history.mayPartPair && hasSurrogate(text);
    const done =
      kind === insertion
        ? op
        : { kind, pos: op.pos, length, back: op.back, text: kind === deletion ? text : undefined, ref: op.ref };
    this.history.append(author.replica, author.seq, done, parents, paired);
    assert(this.history.end < endMax, "the history has room");
    return undefined;
  }

  private finish(
    runs: readonly WireRun[],
    before: number,
    changes: readonly TextChange[] | undefined,
    encoded: boolean,
  ): TextEdit {
    const [first] = runs;
    if (first === undefined) return { update: noBytes, spans: [], delta: [] };
    const length = runs.reduce((sum, run) => sum + run.length, 0);
    return {
      update: encoded ? encodeUpdate(runs) : noBytes,
      spans: [{ replica: first.replica, seq: first.seq, length }],
      delta: changes === undefined ? this.delta(before) : this.ownDelta(changes),
    };
  }

  /** An edit at the head is its own delta. */
  private ownDelta(changes: readonly TextChange[]): readonly TextChange[] {
    this.branch.text.takeEdits();
    const isEdit = ({ from, to, insert }: TextChange): boolean => to > from || insert !== "";
    return changes.every(isEdit) ? changes : changes.filter(isEdit);
  }

  /** Returns the changes of the text since the last call. */
  private delta(before: number): readonly TextChange[] {
    const edits = this.branch.text.takeEdits();
    if (before === 0) return this.rope.length === 0 ? [] : [{ from: 0, to: 0, insert: this.text() }];
    const only = edits.length === 1 ? edits[0] : undefined;
    if (only !== undefined) return [{ from: only.at, to: only.at + only.removed.length, insert: only.inserted }];
    const builder = new DeltaBuilder(before);
    for (const { at, removed, inserted } of edits) builder.edit(at, removed.length, inserted);
    return builder.finish((from, to) => this.rope.slice(from, to));
  }

  /**
   * A keystroke at the head by the replica that wrote last: the update a server receives most. Undefined for anything else.
   */
  private mergeTyped(runs: readonly WireRun[], limits: TextLimits): MergedUpdate | undefined {
    const [run] = runs;
    if (run === undefined || runs.length > 1 || run.kind > deletion || run.back) return undefined;
    const { history, rope } = this;
    const { replica, seq, pos, length, parents } = run;
    const parent = parents?.length === 1 ? parents[0] : undefined;
    const follows = parent?.replica === replica && parent.seq === seq - 1;
    if (!follows || !history.endsWith(replica) || history.nextSeq(replica) !== seq) return undefined;
    const removed = run.kind === deletion ? length : 0;
    const insert = run.text ?? "";
    const to = pos + removed;
    const room = rope.length + insert.length <= limits.textUnitsMax && history.end + length < endMax;
    const { text } = this.branch;
    const whole = to <= rope.length && !text.insidePair(pos) && (removed === 0 || !text.insidePair(to));
    if (!room || !whole) return undefined;
    if (removed > 0) history.type(deletion, pos, rope.remove(pos, removed));
    else {
      rope.insert(pos, insert);
      history.type(insertion, pos, insert);
    }
    this.branch.follow();
    return { delta: [{ from: pos, to, insert }], spans: [{ replica, seq, length }] };
  }

  private mergeRun(
    run: WireRun,
    previous: OpId | undefined,
    limits: TextLimits,
    spans: OpSpan[],
  ): TextRefusal | undefined {
    const { history } = this;
    const received = receivedRun(history, run, previous);
    if (!received.ok) return received.error;
    if (received.value === undefined) return undefined;
    const { replica } = run;
    const { pieces, seq, length } = received.value;
    let { parents } = received.value;
    for (const piece of pieces) {
      const author = { replica, seq: history.nextSeq(replica) };
      const before = this.rope.length;
      if (history.end + piece.length >= endMax) return { code: "UPDATE_TOO_LARGE", actual: history.end, max: endMax };
      const refusal = this.take(piece, author, parents) ?? this.checkEffort(limits);
      if (refusal !== undefined) return refusal;
      const after = this.rope.length;
      if (after > before && after > limits.textUnitsMax) {
        return { code: "UPDATE_TOO_LARGE", actual: after, max: limits.textUnitsMax };
      }
      parents = [history.end - 1];
    }
    addSpan(spans, { replica, seq, length });
    return undefined;
  }

  /**
   * Whether one replica's update takes no more work than its size explains: it may jump between versions, but not without
   * limit.
   */
  private checkEffort(limits: TextLimits): TextRefusal | undefined {
    const effort = this.branch.effort + this.history.graph.steps;
    if (limits.replica === undefined || effort <= effortMax) return undefined;
    return { code: "UPDATE_TOO_LARGE", actual: effort, max: effortMax };
  }
}

const newline = 10;
const noBytes = new Uint8Array();
