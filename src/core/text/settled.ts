import type { OpId, OpSpan } from "./types.ts";

/** The settled part of a compacted document: the text that the deleted operations produced, and its authors. */
export class Settled {
  /** Number of deleted units, at least 1; also the lv of the first kept unit. */
  readonly end: number;
  /** The last deleted unit, a descendant of all others. */
  readonly head: OpId;
  readonly text: string;
  /** The authors of the text, in order; their lengths add up to the text's. */
  readonly authors: readonly OpSpan[];
  private starts: readonly number[] | undefined = undefined;

  constructor(fields: Pick<Settled, "end" | "head" | "text" | "authors">) {
    this.end = fields.end;
    this.head = fields.head;
    this.text = fields.text;
    this.authors = fields.authors;
  }

  /** Returns the authors of [from, to) of the text. */
  *authorsOf(from: number, to: number): Generator<OpSpan> {
    const starts = (this.starts ??= startsOf(this.authors));
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((starts[middle] ?? 0) <= from) low = middle;
      else high = middle - 1;
    }
    for (let at = from; at < to; low += 1) {
      const span = this.authors[low];
      if (span === undefined) throw new RangeError("a place beyond the settled text");
      const skipped = at - (starts[low] ?? 0);
      const length = Math.min(span.length - skipped, to - at);
      yield { replica: span.replica, seq: span.seq + skipped, length };
      at += length;
    }
  }
}

function startsOf(spans: readonly OpSpan[]): readonly number[] {
  let start = 0;
  return spans.map(({ length }) => {
    start += length;
    return start - length;
  });
}
