import { wholeLines } from "../../../src/core/block/change/diff-changes.ts";
import { diffLines } from "../../../src/core/block/change/line-diff.ts";

/** Whose lines are kept at a place. */
export type KeptLines = "mine" | "file" | "both";

/** Lines in which two texts differ. */
export interface MergePlace {
  /** The first line in the document, from 1. */
  readonly line: number;
  readonly mine: string;
  readonly file: string;
}

/** Returns the places in which the document's text and the file's differ, in order. */
export function mergePlaces(mine: string, file: string): readonly MergePlace[] {
  return runsOf(mine, file).map(({ oldStart, ours, theirs }) => ({ line: oldStart + 1, mine: ours, file: theirs }));
}

/** Returns the text with the lines chosen at each place, which `mergePlaces` lists; mine where nothing was chosen. */
export function mergedText(mine: string, file: string, choices: readonly KeptLines[]): string {
  let text = "";
  let done = 0;
  for (const [index, { from, to, ours, theirs }] of runsOf(mine, file).entries()) {
    const kept = choices[index] ?? "mine";
    text += mine.slice(done, from) + (kept === "file" ? theirs : kept === "mine" ? ours : bothOf(ours, theirs));
    done = to;
  }
  return text + mine.slice(done);
}

/** The document's lines above the file's; a last line without its end gets one. */
function bothOf(ours: string, theirs: string): string {
  return ours === "" || ours.endsWith("\n") || theirs === "" ? ours + theirs : `${ours}\n${theirs}`;
}

function runsOf(mine: string, file: string) {
  const [old, fresh] = [wholeLines(mine), wholeLines(file)];
  return diffLines(old.lines, fresh.lines).map(({ oldStart, oldEnd, newStart, newEnd }) => {
    const [from, to] = [old.offset(oldStart), old.offset(oldEnd)];
    return {
      oldStart,
      from,
      to,
      ours: mine.slice(from, to),
      theirs: file.slice(fresh.offset(newStart), fresh.offset(newEnd)),
    };
  });
}
