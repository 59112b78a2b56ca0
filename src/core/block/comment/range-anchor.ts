import { lineAt, lineStarts } from "../../base/lines.ts";
import type { OpId, OpSpan, TextDocument, TextRange } from "../../text/types.ts";

/**
 * The range of a thread, given by units of the text: they are the same in every replica, come back with an undo, and remain
 * valid after a restart and after compaction.
 */
export interface RangeAnchor {
  /**
   * Where the range is, or was: the newest place first. The newest place with a unit in the text counts; the range goes from
   * before its first unit there to behind its last. Empty for a point at the end of a text.
   */
  readonly own: readonly AnchorPlace[];
  /** The units right before and after the range when it was made or became empty; null at the ends of the text. */
  readonly seam: { readonly before: OpId | null; readonly after: OpId | null };
  /** The words of the range when it was made: shown, never used to find the range. */
  readonly quote: Quote;
}

export interface AnchorPlace {
  /** The units the place was made of. */
  readonly spans: readonly OpSpan[];
  /** Units that later changes put in the place of some of them. */
  readonly joined?: readonly OpSpan[];
  /** The place is a point before its first unit. */
  readonly point?: true;
}

interface Quote {
  /** At most 500 characters; of longer words the first 300 and the last 200. */
  readonly text: string;
  /** The length of the words, in UTF-16 units. */
  readonly length: number;
  /** Up to 32 characters on each side. */
  readonly before: string;
  readonly after: string;
}

/** Where an anchor is in a text. Offsets in UTF-16 units. */
export type RangePlacement =
  /** `rewritten`: none of the words that the range was made of is there any more. */
  | { readonly type: "range"; readonly from: number; readonly to: number; readonly rewritten: boolean }
  | { readonly type: "point"; readonly at: number; readonly rewritten: boolean }
  /** The text of the range was deleted; it was at `at`. */
  | { readonly type: "orphan"; readonly at: number };

const quoteMax = 500;
const quoteHead = 300;
const quoteTail = 200;
const besideMax = 32;
const spansMax = 512;

/** Makes an anchor for a range of a text; blanks at its ends are left out, and an empty range is a point. */
export function anchorRange(document: TextDocument, given: TextRange): RangeAnchor {
  const range = trimmed(document, given);
  const isPoint = range.from === range.to;
  const units = isPoint ? unitsAt(document, range.from) : spansOf(document, range);
  return {
    own: units.length === 0 ? [] : [{ spans: units, ...(isPoint ? { point: true } : {}) }],
    seam: seamOf(document, range),
    quote: quoteOf(document, range),
  };
}

/** Makes the anchor of a range of a file that is imported, on exactly these words; an orphan has no word left. */
export function importedAnchor(
  document: TextDocument,
  place:
    | { readonly type: "range"; readonly from: number; readonly to: number }
    | { readonly type: "orphan"; readonly at: number },
  quote: string | null,
): RangeAnchor {
  if (place.type === "range" && place.from === place.to) return withQuote(anchorRange(document, place), quote);
  const range = place.type === "range" ? place : { from: place.at, to: place.at };
  const spans = place.type === "range" ? spansOf(document, range) : [];
  const anchor = { own: [{ spans }], seam: seamOf(document, range), quote: quoteOf(document, range) };
  const isSame = quote === null || anchor.quote.text.replaceAll(/\s+/g, " ") === quote;
  return isSame ? anchor : withQuote(anchor, quote);
}

function withQuote(anchor: RangeAnchor, quote: string | null): RangeAnchor {
  if (quote === null) return anchor;
  const text = shortened(quote);
  return { ...anchor, quote: { ...anchor.quote, text, length: quote.length } };
}

/** Returns the places of anchors in a text. */
export function placeAnchors(document: TextDocument, anchors: readonly RangeAnchor[]): readonly RangePlacement[] {
  const asked = anchors.flatMap(({ own, seam }) => [
    ...own.flatMap(({ spans, joined = [] }) => [[...spans, ...joined], spans]),
    seam.before === null ? [] : [{ ...seam.before, length: 1 }],
    seam.after === null ? [] : [{ ...seam.after, length: 1 }],
  ]);
  const found = document.locate(asked);
  let next = 0;
  return anchors.map((anchor) => {
    const first = next;
    next += anchor.own.length * 2 + 2;
    return placed(document, anchor, found.slice(first, next));
  });
}

/** Returns the places of threads in a text, null for those about the whole document; all are there before the text is. */
export function placeThreads(
  document: TextDocument | null,
  threads: readonly { readonly anchor: RangeAnchor | null }[],
): readonly (RangePlacement | null)[] {
  const anchors = threads.flatMap(({ anchor }) => (anchor === null ? [] : [anchor]));
  const places = (document === null ? [] : placeAnchors(document, anchors))[Symbol.iterator]();
  return threads.map(({ anchor }) => (anchor === null ? null : (places.next().value ?? null)));
}

function placed(
  document: TextDocument,
  { own, seam, quote }: RangeAnchor,
  found: readonly (TextRange | null)[],
): RangePlacement {
  // Whether a unit of the words that the thread was made on is in the text.
  const isOriginal = (found[own.length * 2 - 1] ?? null) !== null;
  for (const [index, place] of own.entries()) {
    const range = found[index * 2] ?? null;
    if (range === null) continue;
    if (place.point === true) return { type: "point", at: range.from, rewritten: !isOriginal };
    return { type: "range", ...range, rewritten: !isOriginal && !saysQuote(document, range, quote) };
  }
  const behind = found[own.length * 2] ?? null;
  const ahead = found[own.length * 2 + 1] ?? null;
  const at = behind?.to ?? (seam.before === null ? 0 : (ahead?.from ?? document.length));
  const wasPoint = own.length === 0 || own[0]?.point === true;
  return wasPoint ? { type: "point", at, rewritten: own.length > 1 } : { type: "orphan", at };
}

/** Whether a range has the words of a quote: a range that was moved says what it said. */
function saysQuote(document: TextDocument, { from, to }: TextRange, quote: Quote): boolean {
  return to - from === quote.length && shortened(document.slice(from, to)) === quote.text;
}

/** Returns the units of a range of the text. */
export function spansOf(document: TextDocument, { from, to }: TextRange): readonly OpSpan[] {
  const spans = document.blame(from, to).map(({ id, ...span }) => ({ ...id, length: span.to - span.from }));
  if (spans.length <= spansMax) return spans;
  return [...spans.slice(0, spansMax / 2), ...spans.slice(-spansMax / 2)];
}

/** Returns the units right before and after a range. */
export function seamOf(document: TextDocument, { from, to }: TextRange): RangeAnchor["seam"] {
  const [before] = from === 0 ? [] : spansOf(document, { from: from - 1, to: from });
  const [after] = to >= document.length ? [] : spansOf(document, { from: to, to: to + 1 });
  return {
    before: before === undefined ? null : { replica: before.replica, seq: before.seq },
    after: after === undefined ? null : { replica: after.replica, seq: after.seq },
  };
}

/** Adds units to the newest place of an anchor; beyond 512 runs the first and last 256 count. */
export function joinUnits(anchor: RangeAnchor, index: number, units: readonly OpSpan[]): RangeAnchor {
  const own = anchor.own.map((place, at) => {
    if (at !== index) return place;
    const joined = [...(place.joined ?? []), ...units];
    const kept =
      joined.length <= spansMax ? joined : [...joined.slice(0, spansMax / 2), ...joined.slice(-spansMax / 2)];
    return { ...place, joined: kept };
  });
  return { ...anchor, own };
}

/** Puts a new place before the others of an anchor; the 8 newest and the first one are kept. */
export function addPlace(anchor: RangeAnchor, place: AnchorPlace): RangeAnchor {
  const own = [place, ...anchor.own];
  const first = own.at(-1);
  return { ...anchor, own: own.length <= 9 || first === undefined ? own : [...own.slice(0, 8), first] };
}

function unitsAt(document: TextDocument, at: number): readonly OpSpan[] {
  return at < document.length ? spansOf(document, { from: at, to: at + 1 }) : [];
}

function trimmed(document: TextDocument, { from, to }: TextRange): TextRange {
  const text = document.slice(from, to);
  const words = text.trim();
  if (words === "") return { from, to: from };
  const start = from + text.indexOf(words);
  return { from: start, to: start + words.length };
}

function quoteOf(document: TextDocument, { from, to }: TextRange): Quote {
  return {
    text: shortened(document.slice(from, to)),
    length: to - from,
    before: wellFormed(document.slice(Math.max(0, from - besideMax), from)),
    after: wellFormed(document.slice(to, to + besideMax)),
  };
}

function shortened(words: string): string {
  if (words.length <= quoteMax) return words;
  return `${wellFormed(words.slice(0, quoteHead))}…${wellFormed(words.slice(-quoteTail))}`;
}

/** Drops halves of surrogate pairs that a cut left at the ends. */
function wellFormed(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/gu, "");
}

/** Returns the first and the last line of a range, from 1. */
export function linesOfRange(text: string, { from, to }: TextRange): readonly [first: number, last: number] {
  const starts = lineStarts(text);
  if (starts.length === 0) return [1, 1];
  return [lineAt(starts, from) + 1, lineAt(starts, Math.max(from, to - 1)) + 1];
}
