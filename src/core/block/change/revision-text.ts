import { must } from "../../base/assert.ts";
import type { TextChange } from "../../text/types.ts";
import { diffChanges } from "./diff-changes.ts";

/**
 * A committed text as it is stored: whole, or as the changes that turn an earlier committed text of the canvas into it. A
 * canvas that is edited a little with each message takes the room of its changes, not of a copy for each.
 */
export type RevisionText = string | RevisionChanges;

interface RevisionChanges {
  /** The version of the revision that they change. */
  readonly from: number;
  readonly changes: readonly TextChange[];
}

/** A committed text, and the changes that the store applies to read it. */
export interface ReadRevisionText {
  readonly text: string;
  /** Revisions between it and the whole text before it; 0 for a whole text. */
  readonly steps: number;
  /** What these take, in characters. */
  readonly changed: number;
}

/** Changes stored in a row at most; then a whole text follows, so that damage to a row costs these revisions at most. */
export const stepsMax = 256;

/** What a change takes besides its inserted text, in characters. */
const changeCost = 16;

/** Returns how to store a text after another one: as changes while all since the last whole text take at most half of it. */
export function storedAs(
  text: string,
  before: { readonly version: number; readonly read: ReadRevisionText },
): RevisionText {
  const { read, version } = before;
  if (read.steps >= stepsMax) return text;
  const changes = diffChanges(read.text, text);
  return read.changed + costOf(changes) > text.length / 2 ? text : { from: version, changes };
}

/** Reads a text from its whole text and the changes since, oldest first; null where they do not fit. */
export function readRevision(whole: string, steps: readonly (readonly TextChange[])[]): ReadRevisionText | null {
  let pieces: readonly string[] = [whole];
  let changed = 0;
  for (const changes of steps) {
    const next = changePieces(pieces, changes);
    if (next === null) return null;
    pieces = next;
    changed += costOf(changes);
  }
  return { text: pieces.join(""), steps: steps.length, changed };
}

function costOf(changes: readonly TextChange[]): number {
  return changes.reduce((sum, { insert }) => sum + insert.length + changeCost, 0);
}

/** Applies changes to a text in pieces, without copying it; null where a change lies outside. */
function changePieces(pieces: readonly string[], changes: readonly TextChange[]): readonly string[] | null {
  const next: string[] = [];
  let piece = 0;
  let within = 0;
  let at = 0;
  /** Moves to an offset of the text; keeps or drops what is before it. */
  const moveTo = (offset: number, keeps: boolean): boolean => {
    if (offset < at) return false;
    while (at < offset) {
      if (piece === pieces.length) return false;
      const here = must(pieces[piece], "a piece before the end");
      const end = Math.min(here.length, within + offset - at);
      if (keeps && end > within) next.push(here.slice(within, end));
      at += end - within;
      within = end;
      if (within === here.length) {
        piece += 1;
        within = 0;
      }
    }
    return true;
  };
  for (const { from, to, insert } of changes) {
    if (!moveTo(from, true) || !moveTo(to, false)) return null;
    if (insert !== "") next.push(insert);
  }
  const rest = pieces[piece];
  if (rest !== undefined) next.push(rest.slice(within), ...pieces.slice(piece + 1));
  return next;
}
