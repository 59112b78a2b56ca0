import { lineAt, lineStarts } from "../../base/lines.ts";
import type { AgentId, BlameSpan, OpId, OpSpan } from "../../text/types.ts";
import type { HunkAnchor, SuggestedHunk } from "./suggestion.ts";

/** A text with whose units stand where, as `blame(0, length)` of its document tells. */
export interface AuthoredText {
  readonly text: string;
  readonly blame: readonly BlameSpan[];
}

/** How an open hunk stands in a text. Lines [startLine, endLine) from 0, offsets [from, to) in UTF-16 units. */
export type HunkStanding =
  /** Its own lines are there, untouched: it can be kept. */
  | {
      readonly type: "stands";
      readonly from: number;
      readonly to: number;
      readonly startLine: number;
      readonly endLine: number;
    }
  /** They were edited or are gone, so that it cannot be kept; these lines stand there now, perhaps none. */
  | { readonly type: "conflict"; readonly startLine: number; readonly endLine: number };

/**
 * Makes a function that finds where a suggestion's hunk is in a text. A hunk has a place where all operations that
 * wrote its old lines are still there, in order and with nothing between, as whole lines; an insertion follows the
 * line after which it was written, or precedes the next line where that one is gone. Lines that only look alike never
 * match.
 */
export function createHunkPlacer(current: AuthoredText): (hunk: SuggestedHunk) => HunkStanding {
  const { text } = current;
  const units = unitIndex(current.blame);
  let starts: Int32Array | undefined;

  function isLineStart(offset: number): boolean {
    return offset === 0 || text.charCodeAt(offset - 1) === newline;
  }

  /** The line that begins at an offset, or the one behind the last. */
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
      // What comes behind it must begin a line, before and after.
      if (!isLineStart(to) || (newText !== "" && !newText.endsWith("\n"))) return undefined;
    }
    return place;
  }

  function insertionPlace({ before, after }: HunkAnchor): { readonly from: number; readonly to: number } | undefined {
    const behind = before === null ? 0 : units.offset(before, 1);
    const at = behind ?? (after === null ? text.length : units.offset(after, 0));
    return at === undefined ? undefined : { from: at, to: at };
  }

  /** The lines that now stand between what was around an anchor, or around what is left of it. */
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
    return { type: "stands", ...place, startLine: lineFrom(place.from), endLine: lineFrom(place.to) };
  };
}

const newline = 10;

/** Where the units of a text are, found by their ids. */
interface UnitIndex {
  /** A unit's offset plus `shift`; undefined where it is gone. */
  offset(unit: OpId, shift: number): number | undefined;
  /** Where units stand in this order with nothing between; undefined where they do not. */
  run(spans: readonly OpSpan[]): { readonly from: number; readonly to: number } | undefined;
  /** From the first of the units that are left to the end of the last; undefined where none is. */
  survivors(spans: readonly OpSpan[]): { readonly from: number; readonly to: number } | undefined;
}

function unitIndex(blame: readonly BlameSpan[]): UnitIndex {
  const piecesByAgent = new Map<AgentId, BlameSpan[]>();
  for (const piece of blame) {
    const known = piecesByAgent.get(piece.id.agent);
    if (known === undefined) piecesByAgent.set(piece.id.agent, [piece]);
    else known.push(piece);
  }
  for (const pieces of piecesByAgent.values()) pieces.sort((a, b) => a.id.seq - b.id.seq);

  /** The first piece of the agent that ends behind `seq`, by its number. */
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

  function pieceWith({ agent, seq }: Pick<OpId, "agent" | "seq">): BlameSpan | undefined {
    const pieces = piecesByAgent.get(agent) ?? [];
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
      for (const { agent, seq, length } of spans) {
        for (let done = 0; done < length;) {
          const piece = pieceWith({ agent, seq: seq + done });
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
      for (const { agent, seq, length } of spans) {
        const pieces = piecesByAgent.get(agent) ?? [];
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
