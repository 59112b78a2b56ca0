import { deletion, type History, insertion } from "./history.ts";
import type { LvSpan } from "./undo-units.ts";

/** Ranges followed at most; more are found faster by a walker, which sees all at once. */
const rangesMax = 32;

interface Followed {
  from: number;
  to: number;
}

/**
 * Returns where inserted units are in the newest text, by following their places through every later operation; those that
 * were deleted are left out. Null where the later operations are not one line of insertions and deletions, each on top of the
 * one before: there a walker must find out what each position refers to.
 */
export function placesInLine(
  history: History,
  spans: readonly LvSpan[],
): readonly { readonly at: number; readonly length: number }[] | null {
  if (spans.length > rangesMax) return null;
  const first = spans.reduce((lowest, { lv }) => Math.min(lowest, lv), history.end);
  if (first === history.end || !history.graph.isLineFrom(first)) return null;
  let ranges: Followed[] = [];
  const followed = history.eachRun(first, ({ lv, kind, pos, length, back }) => {
    if (kind > deletion) return false;
    if (kind === insertion) {
      ranges = inserted(ranges, pos, length);
      for (const span of spans) {
        const from = Math.max(lv, span.lv);
        const to = Math.min(lv + length, span.lv + span.length);
        if (from < to) ranges.push({ from: pos + from - lv, to: pos + to - lv });
      }
    } else {
      const from = back ? pos - length + 1 : pos;
      ranges = removed(ranges, from, from + length);
    }
    return ranges.length <= rangesMax;
  });
  return followed ? ranges.map(({ from, to }) => ({ at: from, length: to - from })) : null;
}

function inserted(ranges: Followed[], at: number, length: number): Followed[] {
  let splits = false;
  for (const range of ranges) {
    if (at <= range.from) {
      range.from += length;
      range.to += length;
    } else if (at < range.to) splits = true;
  }
  if (!splits) return ranges;
  return ranges.flatMap((range) =>
    at <= range.from || at >= range.to
      ? [range]
      : [
          { from: range.from, to: at },
          { from: at + length, to: range.to + length },
        ],
  );
}

function removed(ranges: Followed[], from: number, to: number): Followed[] {
  let empties = false;
  for (const range of ranges) {
    range.from -= Math.max(0, Math.min(range.from, to) - from);
    range.to -= Math.max(0, Math.min(range.to, to) - from);
    empties ||= range.from === range.to;
  }
  return empties ? ranges.filter((range) => range.from < range.to) : ranges;
}
