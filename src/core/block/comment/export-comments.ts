import { hash8 } from "../../base/hash.ts";
import type { TextRange } from "../../text/types.ts";
import { codeRanges, fencesOf, rangeAround } from "./code-ranges.ts";
import type { RangePlacement } from "./range-anchor.ts";
import type { Thread } from "./thread.ts";

/** A thread and where it is; null for the whole document. */
interface PlacedThread {
  readonly thread: Thread;
  readonly place: RangePlacement | null;
}

/**
 * Writes the comments of a Markdown document as footnotes: a mark right behind each range, and the words of the thread at the
 * end. Without the footnotes the text is byte for byte the document's. A range that ends in a fenced block has its mark behind
 * the fence.
 */
export function withFootnotes(
  text: string,
  threads: readonly PlacedThread[],
  /** Writes a time in UTC milliseconds as a day, such as 2026-11-22. */
  dayOf: (at: number) => string,
): string {
  if (threads.length === 0) return text;
  const code = { fences: fencesOf(text), all: codeRanges(text) };
  const marks = threads.map((placed) => ({ placed, at: behindCode(text, code, endOf(placed.place, text)) }));
  let marked = "";
  let done = 0;
  // Where a mark got a line of its own, whoever reads it back takes that line away.
  const ownLines = new Set<string>();
  for (const { placed, at } of marks.toSorted((a, b) => a.at - b.at)) {
    const { id } = placed.thread;
    // Behind a fence at the end of the text the mark needs a line of its own.
    const isFenceEnd = at === text.length && !text.endsWith("\n") && code.fences.some(({ to }) => to === at);
    const isFirst = isFenceEnd && !marked.endsWith("]");
    if (isFirst) ownLines.add(id);
    marked += `${text.slice(done, at)}${isFirst ? "\n" : ""}[^${id}]`;
    done = at;
  }
  marked += text.slice(done);
  const gap = marked.endsWith("\n\n") ? "" : marked.endsWith("\n") ? "\n" : "\n\n";
  const notes = marks.map(({ placed, at }, index) => {
    const own = {
      ...(index === 0 && { gap: gap.length }),
      ...(ownLines.has(placed.thread.id) && { line: true as const }),
    };
    return footnoteOf(placed, { ...markerOf(placed, text, at), ...own }, dayOf);
  });
  return `${marked}${gap}${notes.join("\n\n")}\n`;
}

/** What a footnote says of its thread besides its words, so that it can be read back. */
export interface ThreadMarker {
  readonly id: string;
  /** The length of the range that ends at the mark, or `back` characters before it. */
  readonly length: number;
  readonly back?: number;
  /** The first digits of the hash of the words of the range: whether these are still the same. */
  readonly words?: string;
  /** Line feeds before the first footnote that are not the document's; a mark that has a line of its own. */
  readonly gap?: number;
  readonly line?: true;
}

function markerOf({ thread, place }: PlacedThread, text: string, mark: number): ThreadMarker {
  const end = endOf(place, text);
  const back = end === mark ? {} : { back: mark - end };
  if (place?.type !== "range") return { id: thread.id, length: 0, ...back };
  const { from, to } = place;
  return { id: thread.id, length: to - from, ...back, words: hash8(text.slice(from, to)) };
}

function footnoteOf({ thread, place }: PlacedThread, marker: ThreadMarker, dayOf: (at: number) => string): string {
  const said = (name: string, at: number): string => `${oneLine(name)}, ${dayOf(at)}`;
  const [first, ...replies] = thread.comments;
  const quote = thread.anchor === null ? "the document" : `"${oneLine(thread.anchor.quote.text)}"`;
  const state = place?.type === "orphan" ? `${thread.state}, on deleted text` : thread.state;
  const head = `[^${thread.id}]: ${said(first.actor.name, first.at)}, ${state}, on ${quote}: ${indented(first.text)}`;
  const rest = replies.map(({ actor, at, text }) => `    ${said(actor.name, at)}: ${indented(text)}`);
  return [head, ...rest, `    <!-- heddle:thread ${JSON.stringify(marker)} -->`].join("\n\n");
}

function indented(text: string): string {
  return text.replaceAll("\n", "\n    ");
}

/** Blanks of a text as one space each: how footnotes quote. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

/** A range's end; the end of the text for the whole document. */
function endOf(place: RangePlacement | null, text: string): number {
  if (place === null) return text.trimEnd().length;
  return place.type === "range" ? place.to : place.at;
}

/** A mark in code would be code, and one behind a fence would open it: it goes to the beginning of the next line. */
function behindCode(
  text: string,
  { fences, all }: { readonly fences: readonly TextRange[]; readonly all: readonly TextRange[] },
  at: number,
): number {
  const fence = fences.find(({ from, to }) => from < at && at <= to);
  if (fence === undefined) return rangeAround(all, at)?.to ?? at;
  const end = text.indexOf("\n", fence.to);
  return end === -1 ? text.length : end + 1;
}
