import { type History, insertion } from "./history.ts";
import { baseIds } from "./sequence.ts";
import type { OpSpan, TextRange } from "./types.ts";
import type { Walker } from "./walker.ts";

/**
 * Returns the range from the first to the last of these inserted units that is in the text at the newest version; null when
 * none is. `walker` holds the whole kept history.
 */
export function located(walker: Walker, history: History, spans: readonly OpSpan[]): TextRange | null {
  let from = Number.POSITIVE_INFINITY;
  let to = -1;
  for (const span of spans) {
    for (const { id, length } of walkedUnits(history, span)) {
      const found = walker.visibleRange(id, length);
      if (found === null) continue;
      from = Math.min(from, found.from);
      to = Math.max(to, found.to);
    }
  }
  return to < 0 ? null : { from, to };
}

/** Returns a span's inserted units as a walker numbers them: by lv, or by their offset in the settled text. */
function* walkedUnits(history: History, span: OpSpan): Generator<{ readonly id: number; readonly length: number }> {
  const known = Math.min(span.length, Math.max(0, history.nextSeq(span.replica) - span.seq));
  for (let done = 0; done < known;) {
    const seq = span.seq + done;
    const lv = history.lvOf(span.replica, seq);
    if (lv === undefined || lv < history.begin) {
      const length = settledCount(history, { ...span, seq, length: known - done });
      if (history.begin > 0) {
        const places = history.settledText().placesOf({ ...span, seq, length });
        for (const place of places) yield { id: baseIds + place.at, length: place.length };
      }
      done += length;
      continue;
    }
    const run = history.runFrom(lv, Math.min(lv + known - done, history.end));
    if (run.kind === insertion) yield { id: lv, length: run.length };
    done += run.length;
  }
}

/** Returns how many units from the span's first on belong to the deleted history: a replica's units are deleted in order. */
function settledCount(history: History, { replica, seq, length }: OpSpan): number {
  let low = 1;
  let high = length;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    const lv = history.lvOf(replica, seq + middle - 1);
    if (lv === undefined || lv < history.begin) low = middle;
    else high = middle - 1;
  }
  return low;
}
