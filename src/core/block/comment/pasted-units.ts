import type { OpSpan } from "../../text/types.ts";
import type { AnchorPlace, RangeAnchor } from "./range-anchor.ts";

/** Words that were cut and then pasted: the units that they were, and those that they are, letter for letter. */
export interface PastedWords {
  readonly cut: readonly OpSpan[];
  readonly pasted: readonly OpSpan[];
}

/** A run of the cut units, and where it begins among them. */
interface CutRun {
  readonly seq: number;
  readonly length: number;
  readonly at: number;
}

/** Returns whether two runs of units have as many letters: what was pasted is what was cut. */
export function isWhole({ cut, pasted }: PastedWords): boolean {
  return unitCount(cut) === unitCount(pasted);
}

/**
 * Returns for an anchor the pasted units that took the place of its own: from the first to the last of them. Null for an
 * anchor of which nothing was cut, and for a point, which has no words to follow.
 */
export function followPaste(words: PastedWords): (anchor: RangeAnchor) => readonly OpSpan[] | null {
  const runs = new Map<number, CutRun[]>();
  let at = 0;
  for (const { replica, seq, length } of words.cut) {
    const known = runs.get(replica);
    if (known === undefined) runs.set(replica, [{ seq, length, at }]);
    else known.push({ seq, length, at });
    at += length;
  }
  for (const known of runs.values()) known.sort((a, b) => a.seq - b.seq);
  return ({ own }) => {
    for (const place of own) {
      const found = place.point === true ? null : stretchOf(place, runs);
      if (found !== null) return sliced(words.pasted, found);
    }
    return null;
  };
}

interface Stretch {
  readonly from: number;
  readonly to: number;
}

function stretchOf({ spans, joined = [] }: AnchorPlace, runs: ReadonlyMap<number, readonly CutRun[]>): Stretch | null {
  let from = Infinity;
  let to = -1;
  for (const { replica, seq, length } of [...spans, ...joined]) {
    const known = runs.get(replica) ?? [];
    for (let index = firstBehind(known, seq); index < known.length; index += 1) {
      const run = known[index];
      if (run === undefined || run.seq >= seq + length) break;
      const first = Math.max(seq, run.seq);
      const end = Math.min(seq + length, run.seq + run.length);
      from = Math.min(from, run.at + first - run.seq);
      to = Math.max(to, run.at + end - run.seq);
    }
  }
  return to === -1 ? null : { from, to };
}

/** Returns the index of the first run that ends behind a unit. */
function firstBehind(runs: readonly CutRun[], seq: number): number {
  let low = 0;
  let high = runs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const run = runs[middle];
    if (run !== undefined && run.seq + run.length <= seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

function sliced(spans: readonly OpSpan[], { from, to }: Stretch): readonly OpSpan[] {
  const taken: OpSpan[] = [];
  let at = 0;
  for (const { replica, seq, length } of spans) {
    const first = Math.max(from - at, 0);
    const end = Math.min(to - at, length);
    if (end > first) taken.push({ replica, seq: seq + first, length: end - first });
    at += length;
  }
  return taken;
}

function unitCount(spans: readonly OpSpan[]): number {
  return spans.reduce((sum, { length }) => sum + length, 0);
}
