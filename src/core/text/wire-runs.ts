import type { LvRanges } from "./graph/version.ts";
import { cancellation, cutRun, type History, type Run } from "./history.ts";
import type { WireRun } from "./update-codec.ts";

/** Returns the log's operations in these ranges (highest first), ready to encode, in the log's order. */
export function wireRuns(history: History, ranges: LvRanges): readonly WireRun[] {
  return [...eachWireRun(history, ranges)];
}

/** Yields the same runs one by one. */
export function* eachWireRun(history: History, ranges: LvRanges): Generator<WireRun, void, undefined> {
  let previousEnd = -1;
  for (let i = ranges.length - 2; i >= 0; i -= 2) {
    const end = ranges[i + 1] ?? 0;
    for (let lv = ranges[i] ?? 0; lv < end;) {
      const run = withinOneReplica(history, history.runFrom(lv, Math.min(end, history.graph.linearEnd(lv))));
      const parents = history.graph.parentsOf(lv);
      const follows = parents.length === 1 && parents[0] === lv - 1 && previousEnd === lv;
      const { replica, seq, kind, pos, length, back, paired } = run;
      yield {
        replica,
        seq,
        kind,
        pos,
        length,
        back,
        text: run.text,
        paired,
        ref: kind >= cancellation ? history.idOf(run.ref) : undefined,
        parents: follows ? undefined : parents.map((parent) => history.idOf(parent)),
      };
      lv += length;
      previousEnd = lv;
    }
  }
}

/** A reference names units of one replica, while consecutive units in our log may have several authors. */
function withinOneReplica(history: History, run: Run): Run {
  if (run.kind < cancellation) return run;
  const referred = history.runFrom(run.ref, run.ref + run.length);
  return cutRun(run, 0, Math.min(run.length, referred.length));
}
