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
      this.buckets.push({ starts: [span.lv], spans: [span] });
      this.firsts.push(span.lv);
    }
  }

  /** Returns the span that contains an id. */
  at(lv: number): Element {
    const { starts, spans } = this.buckets[this.bucketOf(lv)] as Bucket<Element>;
    return spans[lastUpTo(starts, lv)] as Element;
  }

  /** Adds the right part of a span that was just split; its left part is already in the index. */
  insertSplit(right: Element): void {
    const index = this.bucketOf(right.lv);
    const { starts, spans } = this.buckets[index] as Bucket<Element>;
    const slot = lastUpTo(starts, right.lv) + 1;
    starts.splice(slot, 0, right.lv);
    spans.splice(slot, 0, right);
    if (spans.length <= bucketMax) return;
    const moved = { starts: starts.splice(bucketMax / 2), spans: spans.splice(bucketMax / 2) };
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
