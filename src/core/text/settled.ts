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
  private placesByReplica: ReadonlyMap<number, readonly SettledSpan[]> | undefined = undefined;

  constructor(fields: Pick<Settled, "end" | "head" | "text" | "authors">) {
    this.end = fields.end;
    this.head = fields.head;
    this.text = fields.text;
    this.authors = fields.authors;
  }

  /** Returns where units of the deleted history are in the settled text; those that are not in it are left out. */
  *placesOf({ replica, seq, length }: OpSpan): Generator<{ readonly at: number; readonly length: number }> {
    const spans = (this.placesByReplica ??= placesByReplica(this.authors)).get(replica) ?? [];
    let low = 0;
    let high = spans.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const span = spans[middle];
      if (span !== undefined && span.seq + span.length <= seq) low = middle + 1;
      else high = middle;
    }
    for (let index = low; index < spans.length; index += 1) {
      const span = spans[index];
      if (span === undefined || span.seq >= seq + length) return;
      const first = Math.max(seq, span.seq);
      const last = Math.min(seq + length, span.seq + span.length);
      yield { at: span.at + (first - span.seq), length: last - first };
    }
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

/** A run of units and its place in the settled text. */
interface SettledSpan extends OpSpan {
  readonly at: number;
}

function placesByReplica(authors: readonly OpSpan[]): ReadonlyMap<number, readonly SettledSpan[]> {
  const places = new Map<number, SettledSpan[]>();
  let at = 0;
  for (const span of authors) {
    const known = places.get(span.replica);
    if (known === undefined) places.set(span.replica, [{ ...span, at }]);
    else known.push({ ...span, at });
    at += span.length;
  }
  for (const spans of places.values()) spans.sort((one, other) => one.seq - other.seq);
  return places;
}
