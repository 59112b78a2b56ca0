import { wholeLines } from "./diff-changes.ts";
import { diffLines, type LineRun } from "./line-diff.ts";

/**
 * Merges both sides' edits of a base into one text. Where both changed the same or adjacent lines, it has our lines followed
 * by theirs, each complete, once when they are equal. Without a base, only the lines that both sides have count as common:
 * nothing of either side is missing.
 */
export function unionMerge(base: string | null, ours: string, theirs: string): string {
  const [mine, other] = [wholeLines(ours), wholeLines(theirs)];
  const old = base === null ? commonLines(mine.lines, other.lines) : wholeLines(base).lines;
  const [own, foreign] = [diffLines(old, mine.lines), diffLines(old, other.lines)];
  const merged: string[] = [];
  const add = (lines: readonly string[]): void => {
    for (const line of lines) merged.push(line);
  };
  let at = 0;
  /** How much longer than the base each side is so far. */
  let [ownShift, otherShift] = [0, 0];
  let [ownNext, otherNext] = [0, 0];
  for (;;) {
    const start = Math.min(own[ownNext]?.oldStart ?? Infinity, foreign[otherNext]?.oldStart ?? Infinity);
    if (start === Infinity) break;
    add(old.slice(at, start));
    const [ownFirst, otherFirst] = [ownNext, otherNext];
    let end = start;
    // A change of either side that touches the region extends it, until no further change does.
    for (let before = -1; before !== ownNext + otherNext;) {
      before = ownNext + otherNext;
      for (let run = own[ownNext]; run !== undefined && run.oldStart <= end; run = own[(ownNext += 1)])
        end = Math.max(end, run.oldEnd);
      for (let run = foreign[otherNext]; run !== undefined && run.oldStart <= end; run = foreign[(otherNext += 1)])
        end = Math.max(end, run.oldEnd);
    }
    const [ownEnd, otherEnd] = [end + shiftAfter(own, ownNext), end + shiftAfter(foreign, otherNext)];
    const ourLines = mine.lines.slice(start + ownShift, ownEnd);
    const theirLines = other.lines.slice(start + otherShift, otherEnd);
    add(keptLines({ ours: ownNext > ownFirst ? ourLines : null, theirs: otherNext > otherFirst ? theirLines : null }));
    [ownShift, otherShift] = [ownEnd - end, otherEnd - end];
    at = end;
  }
  add(old.slice(at));
  return joined(merged);
}

/** Returns the lines of a region to keep; a side that did not change it is null. */
function keptLines({
  ours,
  theirs,
}: {
  readonly ours: readonly string[] | null;
  readonly theirs: readonly string[] | null;
}): readonly string[] {
  if (ours === null) return theirs ?? [];
  if (theirs === null) return ours;
  return ours.join("") === theirs.join("") ? ours : [...ours, ...theirs];
}

/** Returns how much longer a side is than the base, up to the end of its run before `next`. */
function shiftAfter(runs: readonly LineRun[], next: number): number {
  const last = runs[next - 1];
  return last === undefined ? 0 : last.newEnd - last.oldEnd;
}

function commonLines(one: readonly string[], other: readonly string[]): readonly string[] {
  let at = 0;
  const between = diffLines(one, other).map(({ oldStart, oldEnd }) => {
    const from = at;
    at = oldEnd;
    return one.slice(from, oldStart);
  });
  return [...between.flat(), ...one.slice(at)];
}

/** A text's last line may lack a terminator; it gets one when it is no longer last. */
function joined(lines: readonly string[]): string {
  const last = lines.findLastIndex((line) => line !== "");
  return lines
    .map((line, index) =>
      line === "" || index >= last || line.endsWith("\n") || line.endsWith("\r") ? line : `${line}\n`,
    )
    .join("");
}
