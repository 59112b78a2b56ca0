import { err, ok, type Result } from "../base/result.ts";
import { cancellation, type History, insertion } from "./history.ts";
import type { OpSpan, TextRefusal } from "./types.ts";

/** Consecutive units of the log. */
export interface LvSpan {
  readonly lv: number;
  readonly length: number;
}

/** The units to undo, by kind: insertions are deleted, deletions cancelled, cancelled deletions repeated. */
export interface UndoUnits {
  readonly insertions: readonly LvSpan[];
  readonly deletions: readonly LvSpan[];
  /** Deletion units whose cancellation is to be undone. */
  readonly refs: readonly LvSpan[];
}

/** Sorts the units of spans by kind. */
export function unitsOf(history: History, spans: readonly OpSpan[]): Result<UndoUnits, TextRefusal> {
  const insertions: LvSpan[] = [];
  const deletions: LvSpan[] = [];
  const refs: LvSpan[] = [];
  for (const { replica, seq, length } of spans) {
    for (let done = 0; done < length;) {
      const missing = { replica, seq: seq + done };
      const lv = history.lvOf(replica, missing.seq);
      if (lv === undefined || lv < history.begin) {
        const forgotten = missing.seq < history.nextSeq(replica);
        return err({ code: forgotten ? "UNDO_TOO_OLD" : "VERSION_UNKNOWN", missing });
      }
      const run = history.runFrom(lv, lv + length - done);
      const last = lv + run.length - 1;
      const parted = history.partsPair(last) || (lv > history.runAt(lv).lv && history.partsPair(lv - 1));
      if (parted) return err({ code: "VERSION_UNKNOWN", missing });
      if (run.kind === insertion) insertions.push({ lv, length: run.length });
      else if (run.kind === cancellation) refs.push(...cutByRun(history, { lv: run.ref, length: run.length }));
      else deletions.push({ lv, length: run.length });
      done += run.length;
    }
  }
  return ok({ insertions, deletions, refs });
}

/** Returns a test whether units [lv, lv + length) are all within one of these spans; prepared once for many queries. */
export function within(spans: readonly LvSpan[]): (lv: number, length: number) => boolean {
  const sorted = spans.toSorted((one, other) => one.lv - other.lv);
  // For each span, the furthest end of all spans that begin at or before it.
  let reach = 0;
  const reaches = sorted.map((span) => (reach = Math.max(reach, span.lv + span.length)));
  return (lv, length) => {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((sorted[middle]?.lv ?? 0) <= lv) low = middle + 1;
      else high = middle;
    }
    return low > 0 && lv + length <= (reaches[low - 1] ?? 0);
  };
}

/** Ranges of the text, last first; touching ranges are joined. */
export function joined(
  ranges: readonly { readonly at: number; readonly length: number }[],
): readonly { readonly at: number; readonly length: number }[] {
  const result: { at: number; length: number }[] = [];
  for (const { at, length } of ranges.toSorted((a, b) => b.at - a.at)) {
    const last = result.at(-1);
    if (last !== undefined && at + length >= last.at) {
      const end = Math.max(last.at + last.length, at + length);
      last.at = at;
      last.length = end - at;
    } else result.push({ at, length });
  }
  return result;
}

/** Splits a span into pieces that each belong to one run of the log, and so to one replica. */
function cutByRun(history: History, span: LvSpan): readonly LvSpan[] {
  const pieces: LvSpan[] = [];
  const end = span.lv + span.length;
  for (let { lv } = span; lv < end;) {
    const { length } = history.runFrom(lv, end);
    pieces.push({ lv, length });
    lv += length;
  }
  return pieces;
}
