/**
 * Transforms operations made at different versions into edits of the text that contains all of them: the replay of eg-walker
 * (Gentle and Kleppmann, "Collaborative Text Editing with Eg-walker", 2024), from a critical version on. The text at that
 * version is one run of units without history. Operations are added by ascending lv; before each, the walker moves to the
 * operation's parents by retreating and advancing over what lies between. Concurrent insertions at one place are ordered by
 * the rule of YjsMod (equal to FugueMax), then by replica. Deletions are counted, and a cancelled deletion does not count,
 * so a unit is visible when each of its deletions is cancelled.
 */

import { assert, must } from "../base/assert.ts";
import { type LvRanges, sameVersion, type Version } from "./graph/version.ts";
import { cancellation, deletion, type History, insertion, type Op, redeletion } from "./history.ts";
import { baseIds, Item, nowLength, none } from "./sequence.ts";
import { isHighSurrogate, isLowSurrogate } from "./surrogates.ts";
import type { ReplicaId, OpId, TextRange } from "./types.ts";
import { type WalkedSpan, WalkedRuns } from "./walked-runs.ts";
import { CancellationSpan, DeletionSpan } from "./walked-spans.ts";

/** The text at the newest version, which the walker reads, and edits while it adds new operations. */
export interface WalkedText {
  readonly length: number;
  charCodeAt(at: number): number;
  slice(from: number, to: number): string;
  insert(at: number, text: string): void;
  remove(at: number, count: number): string;
}

/** One replay: contains the log from a critical version on, and is at one version of it at a time. */
export class Walker {
  /** The critical unit after which the replay begins. */
  readonly base: number;
  /** The walker contains everything below this lv. */
  end: number;
  private readonly history: History;
  /** Null: there is none yet, and the items have all of it. */
  private readonly text: WalkedText | null;
  private readonly baseText: (base: number) => string;
  private readonly runs = new WalkedRuns();
  private readonly sequence = this.runs.sequence;
  private version: Version;
  /** The text at the base, once it was needed. */
  private begunWith: string | undefined = undefined;
  /** Number of runs moved and compared since a caller set it to 0. */
  steps = 0;
  /** Id of the first unit of the operation being added. */
  private author: OpId | undefined = undefined;
  /** Whether it contains a cancellation. */
  private cancels = false;
  /** The author of the item inserted last. */
  private newestBy: ReplicaId | undefined = undefined;

  /** Adds the log from `base` on; `text` already contains all of it. Without one, nothing may have been written before. */
  constructor(options: {
    history: History;
    base: number;
    text: WalkedText | null;
    baseText: (base: number) => string;
  }) {
    this.history = options.history;
    this.base = options.base;
    this.text = options.text;
    this.baseText = options.baseText;
    this.end = options.base + 1;
    this.version = options.base < 0 ? [] : [options.base];
    if (options.base >= 0) this.runs.beginWithBase();
  }

  /** Number of runs in the walker. */
  get size(): number {
    return this.sequence.size;
  }

  /** Length of the text at the walker's current version. */
  get length(): number {
    return this.sequence.nowLength;
  }

  /** Length of the text at the newest version. */
  get endLength(): number {
    return this.sequence.endLength;
  }

  /** Adds the log up to an lv; the text already contains it. */
  feed(end: number): void {
    const { history } = this;
    const begun = this.end;
    while (this.end < end) {
      const lv = this.end;
      const run = history.runFrom(lv, Math.min(end, history.graph.linearEnd(lv)));
      this.moveTo(history.graph.parentsOf(lv));
      this.author = run;
      this.take(run, false);
    }
    // The length of the text at the base is known only after the whole log was added.
    if (begun === this.base + 1 && this.base >= 0) {
      this.runs.shortenBase(this.sequence.endLength - must(this.text, "there is a base").length);
    }
  }

  /** Moves to a version whose history the walker contains and whose own history includes the base. */
  moveTo(version: Version): void {
    if (sameVersion(this.version, version)) return;
    const { onlyA, onlyB } = this.history.graph.diff(this.version, version);
    this.version = version;
    if (onlyB.length === 0 && isAll(onlyA, this.base + 1, this.end)) {
      this.retreatToBase();
      return;
    }
    for (let i = 0; i < onlyA.length; i += 2) this.retreat(onlyA, i);
    for (let i = onlyB.length - 2; i >= 0; i -= 2) this.advance(onlyB, i);
  }

  /** Adds the next operation at the walker's current version, and edits the text. Returns the text it affected. */
  apply(op: Op, author: OpId): string {
    this.author = author;
    return this.take(op, true);
  }

  /** Whether an offset at the current version is inside a surrogate pair. */
  insidePair(pos: number): boolean {
    if (!this.history.mayPartPair || pos <= 0 || pos >= this.sequence.nowLength) return false;
    const item = this.sequence.find(pos);
    return isLowSurrogate(this.unit(item, this.sequence.offset));
  }

  /** Whether deletion units [ref, ref + length) deleted only whole surrogate pairs. Splits nothing. */
  wholePairs(ref: number, length: number): boolean {
    const to = ref + length;
    for (let lv = ref; lv < to;) {
      const span = this.runs.spans.at(lv);
      assert(span.type === "deletion", "what is cancelled is a deletion");
      const from = lv - span.lv;
      const until = Math.min(span.length, to - span.lv);
      const first = span.target + (span.back ? span.length - until : from);
      if (isLowSurrogate(this.unitOf(first)) || isHighSurrogate(this.unitOf(first + until - from - 1))) return false;
      lv = span.lv + until;
    }
    return true;
  }

  /** Returns the parts of inserted units [from, to) that are visible at the newest version, as ranges of the text there. */
  visibleInsertions(from: number, to: number): { readonly at: number; readonly length: number }[] {
    const found: { at: number; length: number }[] = [];
    for (let lv = from; lv < to;) {
      const span = this.runs.cut(lv, to);
      if (span.type === "item" && span.deletions === 0) {
        found.push({ at: this.sequence.endPosition(span), length: span.length });
      }
      lv += span.length;
    }
    return found;
  }

  /**
   * Returns the range from the first to the last of inserted units [id, id + length) that is in the text at the newest
   * version; null when none is. Ids below 0 are units of the text at the base. Splits nothing.
   */
  visibleRange(id: number, length: number): TextRange | null {
    let from = -1;
    let to = -1;
    for (let at = id; at < id + length;) {
      const item = this.runs.itemOf(at);
      const end = Math.min(id + length, item.lv + item.length);
      if (item.deletions === 0) {
        const start = this.sequence.endPosition(item);
        if (from < 0) from = start + at - item.lv;
        to = start + end - item.lv;
      }
      at = end;
    }
    return from < 0 ? null : { from, to };
  }

  /**
   * Returns the parts of deletion units [from, to) that are not cancelled at the newest version, with the units they
   * deleted.
   */
  effectiveDeletions(
    from: number,
    to: number,
  ): { readonly lv: number; readonly length: number; readonly target: number }[] {
    const found: { lv: number; length: number; target: number }[] = [];
    this.runs.eachDeletion(from, to, ({ lv, length, target, end }) => {
      if (end === 0) found.push({ lv, length, target });
    });
    return found;
  }

  /** Yields each run in text order: whether it is visible at the current version, and its text. */
  *visit(): Generator<{ readonly now: boolean; readonly length: number; readonly lv: number; text(): string }> {
    for (let item = this.sequence.firstItem(); item !== undefined; item = this.sequence.after(item)) {
      const each = item;
      yield { now: each.now === 1, length: each.length, lv: each.lv, text: () => this.textOf(each) };
    }
  }

  /** Returns the text at the newest version, of a walker whose items have all of it. */
  wholeText(): string {
    const parts: string[] = [];
    this.sequence.each((item) => {
      if (item.deletions === 0) parts.push(this.textOf(item));
    });
    return parts.join("");
  }

  /** Yields inserted runs that are visible at the newest version, in text order. */
  *visitEnd(): Generator<{ readonly length: number; readonly lv: number }> {
    for (let item = this.sequence.firstItem(); item !== undefined; item = this.sequence.after(item)) {
      if (item.deletions === 0) yield item;
    }
  }

  private take(op: Op, live: boolean): string {
    const lv = this.end;
    this.end = lv + op.length;
    let text = "";
    switch (op.kind) {
      case insertion:
        text = op.text ?? "";
        this.insert(lv, op.pos, text, live);
        break;
      case deletion:
        text = this.delete(lv, op, live);
        break;
      case cancellation:
        text = this.cancel(lv, op, live);
        break;
      case redeletion:
        text = this.deleteAgain(lv, op, live);
        break;
    }
    this.version = [this.end - 1];
    return text;
  }

  private insert(lv: number, pos: number, text: string, live: boolean): void {
    const { sequence } = this;
    let left: Item | undefined;
    let leftOrigin = none;
    if (pos > 0) {
      left = sequence.find(pos - 1);
      const { offset } = sequence;
      if (live && left.lv + offset === lv - 1 && this.typesOn(left)) {
        this.text?.insert(sequence.endPosition(left) + left.length, text);
        left.text = this.text === null ? this.textOf(left) + text : undefined;
        left.textAt = 0;
        left.length += text.length;
        sequence.bump(left, text.length, text.length);
        return;
      }
      if (offset + 1 < left.length) this.runs.splitItem(left, offset + 1);
      leftOrigin = left.lv + offset;
    }
    const cursor = left === undefined ? sequence.firstItem() : sequence.after(left);
    let right = cursor;
    while (right !== undefined && right.now === 0) {
      right = sequence.after(right);
      this.steps += 1;
    }
    const rightOrigin = right === undefined ? none : right.lv;
    const previous = cursor === right ? left : this.integrate(leftOrigin, rightOrigin, left);
    const fields = { lv, length: text.length, leftOrigin, rightOrigin, now: 1, deletions: 0, text, textAt: 0 };
    const item = new Item(fields, sequence.start);
    sequence.insert(item, previous);
    this.runs.spans.append(item);
    this.runs.newest = item;
    this.newestBy = this.author?.replica;
    if (live) this.text?.insert(sequence.endPosition(item), text);
  }

  /**
   * Whether text inserted after the newest unit belongs to that unit's run: nothing can have come between, so only author
   * and right neighbour need to be equal. The document's text contains the text of both.
   */
  private typesOn(item: Item): boolean {
    if (item.deletions > 0 || item !== this.runs.newest || this.newestBy !== this.author?.replica) return false;
    let right = this.sequence.after(item);
    while (right !== undefined && right.now === 0) {
      right = this.sequence.after(right);
      this.steps += 1;
    }
    return item.rightOrigin === (right === undefined ? none : right.lv);
  }

  /** Finds the left neighbour, given the concurrent insertions between the neighbours. */
  private integrate(leftOrigin: number, rightOrigin: number, left: Item | undefined): Item | undefined {
    const { sequence } = this;
    let previous = left;
    let scanning = false;
    for (
      let other = left === undefined ? sequence.firstItem() : sequence.after(left);
      other !== undefined && other.now === 0;
      other = sequence.after(other)
    ) {
      this.steps += 1;
      if (other.leftOrigin === leftOrigin) {
        if (other.rightOrigin === rightOrigin) {
          if (this.comesBefore(other.lv)) break;
          scanning = false;
        } else scanning = this.runs.unitPrecedes(other.rightOrigin, rightOrigin, false);
      } else if (this.runs.unitPrecedes(other.leftOrigin, leftOrigin, true)) break;
      if (!scanning) previous = other;
    }
    return previous;
  }

  /** Whether the operation being added precedes another insertion at the same place. */
  private comesBefore(other: number): boolean {
    const mine = must(this.author, "an operation has an author");
    const theirs = this.history.idOf(other);
    return mine.replica === theirs.replica ? mine.seq < theirs.seq : mine.replica < theirs.replica;
  }

  private delete(lv: number, op: Op, live: boolean): string {
    const { sequence } = this;
    let text = "";
    for (let done = 0; done < op.length;) {
      const pos = op.back ? op.pos - done : op.pos;
      let item = sequence.find(pos);
      const { offset } = sequence;
      const rest = op.length - done;
      if (op.back) {
        if (offset + 1 < item.length) this.runs.splitItem(item, offset + 1);
        if (offset + 1 > rest) item = this.runs.splitItem(item, offset + 1 - rest);
      } else {
        if (offset > 0) item = this.runs.splitItem(item, offset);
        if (item.length > rest) this.runs.splitItem(item, rest);
      }
      const { length } = item;
      const span = new DeletionSpan({ lv: lv + done, length, target: item.lv, back: op.back, now: 0, end: 0 });
      this.runs.spans.append(span);
      if (!live && item.text === undefined && op.text !== undefined) {
        item.text = op.back
          ? op.text.slice(op.length - done - length, op.length - done)
          : op.text.slice(done, done + length);
        item.textAt = 0;
      }
      this.countDeletion(item, 1, live);
      this.shift(item, 1);
      const piece = live ? this.textOf(item) : "";
      text = op.back ? piece + text : text + piece;
      done += length;
    }
    return text;
  }

  private cancel(lv: number, op: Op, live: boolean): string {
    this.cancels = true;
    this.runs.spans.append(new CancellationSpan(lv, op.length, op.ref));
    let text = "";
    this.runs.eachDeletion(op.ref, op.ref + op.length, (span) => {
      span.now += 1;
      span.end += 1;
      this.runs.eachTarget(span, (item) => {
        if (span.now === 1) this.shift(item, -1);
        if (span.end === 1) this.countDeletion(item, -1, live);
        if (live) text += this.textOf(item);
      });
    });
    return text;
  }

  private deleteAgain(lv: number, op: Op, live: boolean): string {
    let text = "";
    let next = lv;
    this.runs.eachDeletion(op.ref, op.ref + op.length, (source) => {
      const { length, target, back } = source;
      const span = new DeletionSpan({ lv: next, length, target, back, now: 0, end: 0 });
      next += length;
      this.runs.spans.append(span);
      this.runs.eachTarget(span, (item) => {
        this.shift(item, 1);
        this.countDeletion(item, 1, live);
        if (live) text += this.textOf(item);
      });
    });
    return text;
  }

  /** Moves to the version of the base, in one pass over all runs. */
  private retreatToBase(): void {
    this.steps += this.sequence.size;
    this.sequence.setNow((item) => (item.lv < 0 ? 1 : 0));
    if (!this.cancels) return;
    for (const span of this.runs.spans.all()) if (span.type === "deletion") span.now = 0;
  }

  private retreat(ranges: LvRanges, index: number): void {
    const start = ranges[index] as number;
    for (let end = ranges[index + 1] as number; end > start;) {
      const span = this.runs.cutBack(start, end);
      this.undoSpan(span);
      end -= span.length;
    }
  }

  private advance(ranges: LvRanges, index: number): void {
    const end = ranges[index + 1] as number;
    for (let lv = ranges[index] as number; lv < end;) {
      const span = this.runs.cut(lv, end);
      if (span.type === "item") this.shift(span, 1);
      else if (span.type === "deletion") {
        if (span.now === 0) this.runs.eachTarget(span, (item) => this.shift(item, 1));
      } else {
        this.runs.eachDeletion(span.ref, span.ref + span.length, (cancelled) => {
          cancelled.now += 1;
          if (cancelled.now === 1) this.runs.eachTarget(cancelled, (item) => this.shift(item, -1));
        });
      }
      lv += span.length;
    }
  }

  private undoSpan(span: WalkedSpan): void {
    if (span.type === "item") this.shift(span, -1);
    else if (span.type === "deletion") {
      if (span.now === 0) this.runs.eachTarget(span, (item) => this.shift(item, -1));
    } else {
      this.runs.eachDeletion(span.ref, span.ref + span.length, (cancelled) => {
        cancelled.now -= 1;
        if (cancelled.now === 0) this.runs.eachTarget(cancelled, (item) => this.shift(item, 1));
      });
    }
  }

  /** Moves an item one state forward or back at the current version. */
  private shift(item: Item, by: number): void {
    this.steps += 1;
    const before = nowLength(item);
    item.now += by;
    const change = nowLength(item) - before;
    if (change !== 0) this.sequence.bump(item, change, 0);
  }

  /**
   * Counts a deletion (or its cancellation) at the newest version, and edits the text when the item's visibility changes.
   */
  private countDeletion(item: Item, by: 1 | -1, live: boolean): void {
    const { sequence } = this;
    const disappears = item.deletions === 0;
    const returns = item.deletions === 1 && by === -1;
    if (disappears) {
      if (live && this.text !== null) {
        const removed = this.text.remove(sequence.endPosition(item), item.length);
        if (item.text === undefined) {
          item.text = removed;
          item.textAt = 0;
        }
      }
      sequence.bump(item, 0, -item.length);
    }
    // While an item is deleted, its text is kept outside the document's text.
    const restored = returns && live ? this.textOf(item) : "";
    item.deletions += by;
    if (!returns) return;
    if (live) this.text?.insert(sequence.endPosition(item), restored);
    sequence.bump(item, 0, item.length);
  }

  private textOf(item: Item): string {
    const { text, textAt, length } = item;
    if (text !== undefined) return text.length === length ? text : text.slice(textAt, textAt + length);
    if (item.deletions === 0 && this.text !== null) {
      const at = this.sequence.endPosition(item);
      return this.text.slice(at, at + length);
    }
    this.begunWith ??= this.baseText(this.base);
    item.text = this.begunWith;
    item.textAt = item.lv - baseIds;
    return this.textOf(item);
  }

  private unit(item: Item, offset: number): number {
    if (item.text !== undefined) return item.text.charCodeAt(item.textAt + offset);
    if (item.deletions === 0 && this.text !== null) {
      return this.text.charCodeAt(this.sequence.endPosition(item) + offset);
    }
    return this.textOf(item).charCodeAt(offset);
  }

  private unitOf(id: number): number {
    const item = this.runs.itemOf(id);
    return this.unit(item, id - item.lv);
  }
}

/** Whether ranges of lvs are one that covers [from, to). */
function isAll(ranges: LvRanges, from: number, to: number): boolean {
  return ranges.length === 2 && ranges[0] === from && ranges[1] === to;
}
