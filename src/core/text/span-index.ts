/** An index of spans that cover a growing range of ids without gaps. Buckets keep an insertion after a split cheap. */

/** Consecutive ids from `lv` on. */
export interface Span {
  readonly lv: number;
  readonly length: number;
}

const bucketMax = 256;

/** Returns the span that contains an id. */
export class SpanIndex<Element extends Span> {
  private readonly buckets: Element[][] = [];
  private readonly firsts: number[] = [];

  /** Adds a span at the end. */
  append(span: Element): void {
    const last = this.buckets[this.buckets.length - 1];
    if (last !== undefined && last.length < bucketMax) last.push(span);
    else {
      this.buckets.push([span]);
      this.firsts.push(span.lv);
    }
  }

  /** Returns the span that contains an id. */
  at(lv: number): Element {
    const bucket = this.buckets[this.bucketOf(lv)] as Element[];
    return bucket[slotOf(bucket, lv)] as Element;
  }

  /** Adds the right part of a span that was just split; its left part is already in the index. */
  insertSplit(right: Element): void {
    const index = this.bucketOf(right.lv);
    const bucket = this.buckets[index] as Element[];
    bucket.splice(slotOf(bucket, right.lv) + 1, 0, right);
    if (bucket.length <= bucketMax) return;
    const moved = bucket.splice(bucketMax / 2);
    this.buckets.splice(index + 1, 0, moved);
    this.firsts.splice(index + 1, 0, (moved[0] as Element).lv);
  }

  private bucketOf(lv: number): number {
    const { firsts } = this;
    let low = 0;
    let high = firsts.length - 1;
    if ((firsts[high] as number) <= lv) return high;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((firsts[middle] as number) <= lv) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function slotOf(bucket: readonly Span[], lv: number): number {
  let low = 0;
  let high = bucket.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((bucket[middle] as Span).lv <= lv) low = middle;
    else high = middle - 1;
  }
  return low;
}
