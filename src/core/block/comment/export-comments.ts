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
  const fences = fencesOf(text);
  const marks = threads.map(({ thread, place }) => ({
    id: thread.id,
    at: behindFence(text, fences, endOf(place, text)),
  }));
  let marked = "";
  let done = 0;
  for (const { id, at } of marks.toSorted((a, b) => a.at - b.at)) {
    // Behind a fence at the end of the text the mark needs a line of its own.
    const isFenceEnd = at === text.length && !text.endsWith("\n") && fences.some(({ to }) => to === at);
    marked += `${text.slice(done, at)}${isFenceEnd && !marked.endsWith("]") ? "\n" : ""}[^${id}]`;
    done = at;
  }
  marked += text.slice(done);
  const gap = marked.endsWith("\n\n") ? "" : marked.endsWith("\n") ? "\n" : "\n\n";
  return `${marked}${gap}${threads.map((placed) => footnoteOf(placed, dayOf)).join("\n\n")}\n`;
}

function footnoteOf({ thread, place }: PlacedThread, dayOf: (at: number) => string): string {
  const said = (name: string, at: number): string => `${oneLine(name)}, ${dayOf(at)}`;
  const [first, ...replies] = thread.comments;
  const quote = thread.anchor === null ? "the document" : `"${oneLine(thread.anchor.quote.text)}"`;
  const state = place?.type === "orphan" ? `${thread.state}, on deleted text` : thread.state;
  const head = `[^${thread.id}]: ${said(first.actor.name, first.at)}, ${state}, on ${quote}: ${indented(first.text)}`;
  const length = place?.type === "range" ? place.to - place.from : 0;
  const rest = replies.map(({ actor, at, text }) => `    ${said(actor.name, at)}: ${indented(text)}`);
  return [head, ...rest, `    <!-- heddle:thread ${JSON.stringify({ id: thread.id, length })} -->`].join("\n\n");
}

function indented(text: string): string {
  return text.replaceAll("\n", "\n    ");
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

/** A range's end; the end of the text for the whole document. */
function endOf(place: RangePlacement | null, text: string): number {
  if (place === null) return text.trimEnd().length;
  return place.type === "range" ? place.to : place.at;
}

interface Fence {
  readonly from: number;
  readonly to: number;
}

/** Returns the fenced blocks of a text, from the beginning of the first fence to the end of the last. */
function fencesOf(text: string): readonly Fence[] {
  const fences: Fence[] = [];
  let open: { readonly from: number; readonly sign: string } | null = null;
  let at = 0;
  for (const line of text.split("\n")) {
    const sign = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (open === null && sign !== undefined) open = { from: at, sign };
    else if (open !== null && sign?.startsWith(open.sign) === true && line.trim() === sign) {
      fences.push({ from: open.from, to: at + line.trimEnd().length });
      open = null;
    }
    at += line.length + 1;
  }
  if (open !== null) fences.push({ from: open.from, to: text.length });
  return fences;
}

/** A mark in code would be code, and one behind a fence would open it: it goes to the beginning of the next line. */
function behindFence(text: string, fences: readonly Fence[], at: number): number {
  const fence = fences.find(({ from, to }) => from < at && at <= to);
  if (fence === undefined) return at;
  const end = text.indexOf("\n", fence.to);
  return end === -1 ? text.length : end + 1;
}
