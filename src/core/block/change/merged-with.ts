import { diffChanges } from "./diff-changes.ts";
import { diffLines } from "./line-diff.ts";
import { applyChanges } from "./text-change.ts";
import { threeWay } from "./three-way.ts";
import { wholeLines } from "./diff-changes.ts";

/**
 * Merges a text that an author wrote after seeing `seen` with the text as it is now; null where both changed the same lines.
 * An author who read the newer text after all, and kept every line of it that is new, has merged already.
 */
export function mergedWith(seen: string, now: string, written: string): string | null {
  const verdict = threeWay(seen, now, written);
  if (verdict.type === "changes") {
    const changes = [...diffChanges(seen, now), ...verdict.changes].toSorted((a, b) => a.from - b.from || a.to - b.to);
    return applyChanges(seen, changes);
  }
  return keepsAllNew(seen, now, written) ? written : null;
}

/** Whether a text has every line that `now` has beyond `seen`. */
function keepsAllNew(seen: string, now: string, written: string): boolean {
  const [old, fresh] = [wholeLines(seen), wholeLines(now)];
  const lines = new Set(wholeLines(written).lines);
  const runs = diffLines(old.lines, fresh.lines);
  // Where lines were only taken away, nothing shows whether the author saw that.
  return runs.every(
    ({ newStart, newEnd }) => newStart < newEnd && fresh.lines.slice(newStart, newEnd).every((line) => lines.has(line)),
  );
}
