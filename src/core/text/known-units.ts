import { cutOp, deletion, insertion, type History } from "./history.ts";
import type { OpId } from "./types.ts";
import type { WireRun } from "./update-codec.ts";

/**
 * Returns the first unit, among the first `count` of a run, that the log has with other content. Only one replica uses its
 * numbers, so there is none, unless two replicas have edited under the same number: then their units must not be confused.
 * Deleted history is not compared.
 */
export function otherwiseKnown(history: History, run: WireRun, count: number): OpId | undefined {
  const { replica, kind, pos, length, back, text } = run;
  for (let done = 0; done < count;) {
    const id = { replica, seq: run.seq + done };
    const lv = history.lvOf(replica, id.seq);
    if (lv === undefined || lv < history.begin) {
      done += 1;
      continue;
    }
    const known = history.runFrom(lv, Math.min(lv + count - done, history.end));
    const { length: taken } = known;
    const meant = cutOp({ kind, pos, length, back, text, ref: 0 }, done, done + taken);
    if (known.kind !== kind) return id;
    if (kind <= deletion && (known.pos !== meant.pos || (taken > 1 && known.back !== meant.back))) return id;
    if (kind === insertion && known.text !== meant.text) return id;
    done += taken;
  }
  return undefined;
}
