import type { History } from "./history.ts";
import { baseIds } from "./sequence.ts";
import type { BlameSpan, OpSpan } from "./types.ts";
import type { Walker } from "./walker.ts";

/** Returns who wrote [from, to) of the text, given a walker that holds the whole kept history. */
export function blamed(walker: Walker, history: History, from: number, to: number): readonly BlameSpan[] {
  const spans: { from: number; to: number; id: BlameSpan["id"] }[] = [];
  let start = 0;
  for (const { lv, length } of walker.visitEnd()) {
    const low = Math.max(from, start);
    const high = Math.min(to, start + length);
    let at = low;
    for (const { replica, seq, length: count } of low < high ? authors(history, lv + low - start, high - low) : []) {
      const last = spans.at(-1);
      const continues = last !== undefined && last.id.replica === replica && last.id.seq + last.to - last.from === seq;
      if (continues) last.to = at + count;
      else spans.push({ from: at, to: at + count, id: { replica, seq } });
      at += count;
    }
    start += length;
    if (start >= to) break;
  }
  return spans;
}

/** A run in a walker has one author, unless it represents the text that the walker began with. */
function authors(history: History, lv: number, length: number): Iterable<OpSpan> {
  if (lv >= 0) return [{ ...history.idOf(lv), length }];
  return history.settledText().authorsOf(lv - baseIds, lv - baseIds + length);
}
