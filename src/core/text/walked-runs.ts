import { assert } from "../base/assert.ts";
import { baseIds, Item, none, Sequence } from "./sequence.ts";
import { SpanIndex } from "./span-index.ts";
import { CancellationSpan, DeletionSpan } from "./walked-spans.ts";

export type WalkedSpan = Item | DeletionSpan | CancellationSpan;

const baseLengthMax = 2 ** 30 - 2;

/** The runs of a walker: inserted ones in text order, and all of them by lv. Splits them where an operation begins or ends. */
export class WalkedRuns {
  readonly sequence = new Sequence();
  readonly spans = new SpanIndex<WalkedSpan>();
  /** The item inserted last. */
  newest: Item | undefined = undefined;
  private readonly baseItems = new SpanIndex<Item>();

  /** Adds the text at the base as one item, longer than any text: `shortenBase` corrects its length. */
  beginWithBase(): void {
    const { sequence } = this;
    const item = new Item(
      {
        lv: baseIds,
        length: baseLengthMax,
        leftOrigin: none,
        rightOrigin: none,
        now: 1,
        deletions: 0,
        text: undefined,
        textAt: 0,
      },
      sequence.start,
    );
    sequence.insert(item, undefined);
    this.baseItems.append(item);
  }

  /** Takes the surplus off the end of the text at the base. */
  shortenBase(surplus: number): void {
    const last = this.baseItems.at(baseIds + baseLengthMax - 1);
    last.length -= surplus;
    this.sequence.bump(last, -surplus, -surplus);
  }

  /** Calls `visit` with the deletions that units [from, to) are, split where the range begins and ends. */
  eachDeletion(from: number, to: number, visit: (span: DeletionSpan) => void): void {
    for (let lv = from; lv < to;) {
      const span = this.cut(lv, to);
      assert(span.type === "deletion", "what is cancelled is a deletion");
      const { length } = span;
      visit(span);
      lv += length;
    }
  }

  /** Calls `visit` with the items that a deletion removed, split where it begins and ends. */
  eachTarget(span: DeletionSpan, visit: (item: Item) => void): void {
    const to = span.target + span.length;
    for (let id = span.target; id < to;) {
      const item = this.cutItem(id, to);
      const { length } = item;
      visit(item);
      id += length;
    }
  }

  /** Returns the part of the span around `lv` that begins at `lv` and ends at or before `to`. */
  cut(lv: number, to: number): WalkedSpan {
    let span = this.spans.at(lv);
    if (span.lv < lv) span = this.split(span, lv - span.lv);
    if (span.lv + span.length > to) this.split(span, to - span.lv);
    return span;
  }

  /** Returns the part of the span around `to - 1` that ends at `to` and begins at or after `from`. */
  cutBack(from: number, to: number): WalkedSpan {
    let span = this.spans.at(to - 1);
    if (span.lv + span.length > to) this.split(span, to - span.lv);
    if (span.lv < from) span = this.split(span, from - span.lv);
    return span;
  }

  private cutItem(id: number, to: number): Item {
    let item = this.itemOf(id);
    if (item.lv < id) item = this.splitItem(item, id - item.lv);
    if (item.lv + item.length > to) this.splitItem(item, to - item.lv);
    return item;
  }

  private split(span: WalkedSpan, at: number): WalkedSpan {
    if (span.type === "item") return this.splitItem(span, at);
    const { lv, length } = span;
    let right: WalkedSpan;
    if (span.type === "cancellation") right = new CancellationSpan(lv + at, length - at, span.ref + at);
    else {
      const { target, back, now, end } = span;
      right = new DeletionSpan({
        lv: lv + at,
        length: length - at,
        target: back ? target : target + at,
        back,
        now,
        end,
      });
      if (back) span.target = target + length - at;
    }
    span.length = at;
    this.spans.insertSplit(right);
    return right;
  }

  /** Splits an item at an offset, and returns its right part. */
  splitItem(item: Item, at: number): Item {
    const { lv, rightOrigin, now, deletions, text } = item;
    const right = new Item(
      {
        lv: lv + at,
        length: item.length - at,
        leftOrigin: lv + at - 1,
        rightOrigin,
        now,
        deletions,
        text,
        textAt: item.textAt + at,
      },
      item.node,
    );
    item.length = at;
    if (item === this.newest) this.newest = right;
    this.sequence.insertSplit(right, item);
    if (lv < 0) this.baseItems.insertSplit(right);
    else this.spans.insertSplit(right);
    return right;
  }

  /** Returns the item that contains a unit. */
  itemOf(id: number): Item {
    const span = id < 0 ? this.baseItems.at(id) : this.spans.at(id);
    assert(span.type === "item", "what is deleted is an insertion");
    return span;
  }

  /** Whether a unit precedes another; `none` is the beginning for left neighbours and the end for right ones. */
  unitPrecedes(a: number, b: number, left: boolean): boolean {
    if (a === b) return false;
    if (a === none) return left;
    if (b === none) return !left;
    const itemA = this.itemOf(a);
    const itemB = this.itemOf(b);
    return itemA === itemB ? a < b : this.sequence.precedes(itemA, itemB);
  }
}
