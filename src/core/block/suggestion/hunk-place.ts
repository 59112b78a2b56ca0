import { lineAt, lineStarts } from "../../base/lines.ts";
import type { ReplicaId, BlameSpan, OpId, OpSpan } from "../../text/types.ts";
import type { HunkAnchor, SuggestedHunk } from "./suggestion.ts";

/** A text and the units at each place of it, as `blame(0, length)` of its document returns. */
export interface AuthoredText {
  readonly text: string;
  readonly blame: readonly BlameSpan[];
}

/** The placement of an open hunk in a text. Lines [startLine, endLine) from 0, offsets [from, to) in UTF-16 units. */
export type HunkPlacement =
  /** The hunk's own lines are there, unchanged: it can be kept. */
  | {
      readonly type: "applies";
      readonly from: number;
      readonly to: number;
      readonly startLine: number;
      readonly endLine: number;
    }
  /** The hunk's lines were edited or deleted, so it cannot be kept; these lines, perhaps none, are there now. */
  | { readonly type: "conflict"; readonly startLine: number; readonly endLine: number };

/**
 * Makes a function that finds a suggestion's hunk in a text. A hunk applies where all units of its old lines still exist, in
 * order, without anything between, as whole lines. An insertion applies after the line it was written after, or before the
 * next line when that line was deleted. Lines with equal text but other units never match.
 */
export function createHunkPlacer(current: AuthoredText): (hunk: SuggestedHunk) => HunkPlacement {
  const { text } = current;
  const units = unitIndex(current.blame);
  let starts: Int32Array | undefined;

  function isLineStart(offset: number): boolean {
    return offset === 0 || text.charCodeAt(offset - 1) === newline;
  }

  /** Returns the line that begins at an offset, or the number after the last line. */
  function lineFrom(offset: number): number {
    starts ??= lineStarts(text);
    if (offset >= text.length) return starts.length;
    return lineAt(starts, offset);
  }

  function placeOf({ anchor, newText }: SuggestedHunk): { readonly from: number; readonly to: number } | undefined {
    const place = anchor.own.length > 0 ? units.run(anchor.own) : insertionPlace(anchor);
    if (place === undefined || !isLineStart(place.from)) return undefined;
    const { to } = place;
    if (to < text.length) {
      // The following text must begin a line, before and after the change.
      if (!isLineStart(to) || (newText !== "" && !newText.endsWith("\n"))) return undefined;
    }
    return place;
  }

  function insertionPlace({ before, after }: HunkAnchor): { readonly from: number; readonly to: number } | undefined {
    const behind = before === null ? 0 : units.offset(before, 1);
    const at = behind ?? (after === null ? text.length : units.offset(after, 0));
    return at === undefined ? undefined : { from: at, to: at };
  }

  /** Returns the lines that are now between an anchor's neighbours, or between those units of the anchor that remain. */
  function presentLines({ own, before, after }: HunkAnchor, startLine: number): readonly [start: number, end: number] {
    const left = units.survivors(own);
    const behind = before === null ? 0 : units.offset(before, 1);
    const ahead = after === null ? text.length : units.offset(after, 0);
    const from = behind ?? left?.from ?? ahead;
    if (from === undefined) {
      const line = Math.min(startLine, lineFrom(text.length));
      return [line, line];
    }
    const to = Math.max(from, ahead ?? left?.to ?? from);
    return [lineFrom(from), lineFrom(to) + (isLineStart(to) || to === text.length ? 0 : 1)];
  }

  return (hunk) => {
    const place = placeOf(hunk);
    if (place === undefined) {
      const [startLine, endLine] = presentLines(hunk.anchor, hunk.startLine);
      return { type: "conflict", startLine, endLine };
    }
    return { type: "applies", ...place, startLine: lineFrom(place.from), endLine: lineFrom(place.to) };
  };
}

const newline = 10;

/** Finds the offsets of units by their ids. */
interface UnitIndex {
  /** Returns a unit's offset plus `shift`; undefined when the unit was deleted. */
  offset(unit: OpId, shift: number): number | undefined;
  /** Returns the range of these units if they exist in this order with nothing between; otherwise undefined. */
  run(spans: readonly OpSpan[]): { readonly from: number; readonly to: number } | undefined;
  /** Returns the range from the first to the last remaining unit; undefined when none remains. */
  survivors(spans: readonly OpSpan[]): { readonly from: number; readonly to: number } | undefined;
}

function unitIndex(blame: readonly BlameSpan[]): UnitIndex {
  const piecesByReplica = new Map<ReplicaId, BlameSpan[]>();
  for (const piece of blame) {
    const known = piecesByReplica.get(piece.id.replica);
    if (known === undefined) piecesByReplica.set(piece.id.replica, [piece]);
    else known.push(piece);
  }
  for (const pieces of piecesByReplica.values()) pieces.sort((a, b) => a.id.seq - b.id.seq);

  /** Returns the number of the replica's first piece that ends after `seq`. */
  function firstAt(pieces: readonly BlameSpan[], seq: number): number {
    let low = 0;
    let high = pieces.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const piece = pieces[middle];
      if (piece !== undefined && piece.id.seq + (piece.to - piece.from) <= seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function pieceWith({ replica, seq }: Pick<OpId, "replica" | "seq">): BlameSpan | undefined {
    const pieces = piecesByReplica.get(replica) ?? [];
    const piece = pieces[firstAt(pieces, seq)];
    return piece !== undefined && piece.id.seq <= seq ? piece : undefined;
  }

  return {
    offset(unit, shift) {
      const piece = pieceWith(unit);
      return piece === undefined ? undefined : piece.from + (unit.seq - piece.id.seq) + shift;
    },
    run(spans) {
      let from: number | undefined;
      let to = 0;
      for (const { replica, seq, length } of spans) {
        for (let done = 0; done < length;) {
          const piece = pieceWith({ replica, seq: seq + done });
          if (piece === undefined) return undefined;
          const at = piece.from + (seq + done - piece.id.seq);
          if (from === undefined) from = at;
          else if (at !== to) return undefined;
          const count = Math.min(length - done, piece.to - at);
          to = at + count;
          done += count;
        }
      }
      return from === undefined ? undefined : { from, to };
    },
    survivors(spans) {
      let from = Number.POSITIVE_INFINITY;
      let to = -1;
      for (const { replica, seq, length } of spans) {
        const pieces = piecesByReplica.get(replica) ?? [];
        for (let at = firstAt(pieces, seq); at < pieces.length; at += 1) {
          const piece = pieces[at];
          if (piece === undefined || piece.id.seq >= seq + length) break;
          const first = Math.max(seq, piece.id.seq);
          const last = Math.min(seq + length, piece.id.seq + (piece.to - piece.from));
          from = Math.min(from, piece.from + (first - piece.id.seq));
          to = Math.max(to, piece.from + (last - piece.id.seq));
        }
      }
      return to < 0 ? undefined : { from, to };
    },
  };
}
