/** An index of spans that cover a growing range of ids without gaps. Buckets keep an insertion after a split cheap. */

/** Consecutive ids from `lv` on. */
export interface Span {
  readonly lv: number;
  readonly length: number;
}

const bucketMax = 128;

/** Consecutive spans, and where each begins: a search reads the numbers alone. */
interface Bucket<Element> {
  readonly starts: number[];
  readonly spans: Element[];
  /** Where the last search in it ended: the next one is often for that span, or for one beside it. */
  hot: number;
}

/** Finds the span that contains an id. */
export class SpanIndex<Element extends Span> {
  private readonly buckets: Bucket<Element>[] = [];
  private readonly firsts: number[] = [];
  /** The bucket of the last search: ids are often looked up in their order. */
  private hot = 0;

  /** Adds a span at the end. */
  append(span: Element): void {
    const last = this.buckets[this.buckets.length - 1];
    if (last !== undefined && last.spans.length < bucketMax) {
      last.starts.push(span.lv);
      last.spans.push(span);
    } else {
      this.buckets.push({ starts: [span.lv], spans: [span], hot: 0 });
      this.firsts.push(span.lv);
    }
  }

  /** Returns the span that contains an id. */
  at(lv: number): Element {
    const bucket = this.buckets[this.bucketOf(lv)] as Bucket<Element>;
    const { starts, spans, hot } = bucket;
    if ((starts[hot] as number) <= lv) {
      if (lv < (starts[hot + 1] ?? Number.POSITIVE_INFINITY)) return spans[hot] as Element;
      if (lv < (starts[hot + 2] ?? Number.POSITIVE_INFINITY)) bucket.hot = hot + 1;
      else bucket.hot = lastUpTo(starts, lv);
    } else bucket.hot = hot > 0 && (starts[hot - 1] as number) <= lv ? hot - 1 : lastUpTo(starts, lv);
    return spans[bucket.hot] as Element;
  }

  /** Adds the right part of a span that was just split; its left part is already in the index. */
  insertSplit(right: Element): void {
    const index = this.bucketOf(right.lv);
    const bucket = this.buckets[index] as Bucket<Element>;
    const { starts, spans } = bucket;
    const slot = lastUpTo(starts, right.lv) + 1;
    starts.splice(slot, 0, right.lv);
    spans.splice(slot, 0, right);
    if (spans.length <= bucketMax) return;
    const moved = { starts: starts.splice(bucketMax / 2), spans: spans.splice(bucketMax / 2), hot: 0 };
    bucket.hot = 0;
    this.buckets.splice(index + 1, 0, moved);
    this.firsts.splice(index + 1, 0, moved.starts[0] as number);
  }

  /** Yields every span, in the order of their ids. */
  *all(): Generator<Element> {
    for (const { spans } of this.buckets) yield* spans;
  }

  private bucketOf(lv: number): number {
    const { firsts, hot } = this;
    if ((firsts[hot] as number) <= lv && lv < (firsts[hot + 1] ?? Number.POSITIVE_INFINITY)) return hot;
    this.hot = lastUpTo(firsts, lv);
    return this.hot;
  }
}

/** The index of the last of some ascending numbers that is not above a limit, or 0. */
function lastUpTo(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((numbers[middle] as number) <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}
