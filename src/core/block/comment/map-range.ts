import type { TextChange, TextRange } from "../../text/types.ts";

/** What a change did to a range. */
export interface MappedRange {
  /** From the first to the last remaining unit of the range; null when all of it was deleted. */
  readonly left: TextRange | null;
  /** Text that was put in the place of some or all of the range. */
  readonly replacements: readonly TextRange[];
  /** Whether a unit at an end of the range was deleted. */
  readonly isCut: boolean;
  /** Where the range is or was. */
  readonly at: number;
}

/** Joins changes that touch, so that a deletion beside an insertion is a replacement. The changes are sorted. */
export function mergeTouching(delta: readonly TextChange[]): readonly TextChange[] {
  const merged: TextChange[] = [];
  for (const change of delta) {
    const last = merged.at(-1);
    if (last === undefined || last.to !== change.from) merged.push(change);
    else merged[merged.length - 1] = { from: last.from, to: change.to, insert: last.insert + change.insert };
  }
  return merged;
}

/** Carries a range that is not empty along with a change: text typed at its edges stays outside, between them belongs. */
export function mapRange(delta: readonly TextChange[], { from, to }: TextRange): MappedRange {
  let shift = 0;
  let start: number | null = null;
  let end: number | null = null;
  let isCut = false;
  const replacements: TextRange[] = [];
  for (const change of delta) {
    if (change.from >= to) break;
    const made = change.from + shift;
    const madeEnd = made + change.insert.length;
    if (change.to <= from) {
      shift += change.insert.length - (change.to - change.from);
      continue;
    }
    // The change is between the ends of the range, or takes some of it.
    if (change.from <= from) start = madeEnd;
    if (change.to >= to) end = made;
    if (change.from <= from || change.to >= to) isCut = true;
    if (change.to > change.from && change.insert !== "") replacements.push({ from: made, to: madeEnd });
    start ??= from + shift;
    shift += change.insert.length - (change.to - change.from);
  }
  const left = { from: start ?? from + shift, to: end ?? to + shift };
  return { left: left.from < left.to ? left : null, replacements, isCut, at: Math.min(left.from, left.to) };
}

/** Carries a point along with a change; text inserted there goes behind it. */
export function mapPoint(delta: readonly TextChange[], at: number): number {
  let shift = 0;
  for (const { from, to, insert } of delta) {
    if (from >= at) break;
    if (to > at) return from + shift;
    shift += insert.length - (to - from);
  }
  return at + shift;
}

/** Returns where a range is after a change; null when all of it was deleted. */
export function carryRange(delta: readonly TextChange[], range: TextRange): TextRange | null {
  if (range.from < range.to) return mapRange(mergeTouching(delta), range).left;
  const at = mapPoint(delta, range.from);
  return { from: at, to: at };
}
