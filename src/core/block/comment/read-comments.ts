import { hash8 } from "../../base/hash.ts";
import type { ThreadId } from "../../base/ids.ts";
import type { TextRange } from "../../text/types.ts";
import { isNonEmpty } from "../../base/non-empty.ts";
import { codeRanges, fencesOf } from "./code-ranges.ts";
import { readCriticMarks } from "./critic-comments.ts";
import { oneLine, type ThreadMarker } from "./export-comments.ts";
import type { ImportedComment, ImportedThread, ReadComments } from "./imported-thread.ts";

/**
 * Reads the comments of a Markdown file, as footnotes that Heddle wrote and as Critic marks, and takes them out of the text:
 * an export is then the document again, byte for byte. What is not ours, and what is in code, stays as it is.
 */
export function readComments(text: string, timeOf: TimeOf): ReadComments {
  const notes = readFootnotes(text, timeOf);
  const marks = readCriticMarks(notes.text);
  if (marks.threads.length === 0) return notes;
  // Critic marks before a footnote's mark move it.
  const moved = notes.threads.length === 0 ? [] : readFootnotes(readCriticMarks(text).text, timeOf).threads;
  return { text: marks.text, threads: [...moved, ...marks.threads] };
}

/** Reads a day, such as 2026-11-22, in UTC milliseconds; null where it is none. */
type TimeOf = (day: string) => number | null;

interface Footnote {
  readonly from: number;
  readonly to: number;
  readonly marker: ThreadMarker;
  readonly state: ImportedThread["state"];
  readonly about: "document" | "deleted" | "words";
  readonly quote: string | null;
  readonly comments: readonly [ImportedComment, ...ImportedComment[]];
}

function readFootnotes(text: string, timeOf: TimeOf): ReadComments {
  const notes = footnotesIn(text, timeOf);
  const [first] = notes;
  if (first === undefined) return { text, threads: [] };
  const { body, markPlaces } = withoutMarks(withoutNotes(text, notes), notes);
  const threads = notes.map((note): ImportedThread => {
    const mark = markPlaces.get(note.marker.id) ?? body.trimEnd().length;
    const place = placeOf(note, body, mark);
    const { state, quote, comments } = note;
    return { id: note.marker.id as ThreadId, state, place, quote, comments };
  });
  return { text: body, threads };
}

/** Finds the footnotes that Heddle wrote: definitions outside of code that end with the marker of their thread. */
function footnotesIn(text: string, timeOf: TimeOf): readonly Footnote[] {
  const code = closedCode(text);
  const notes: Footnote[] = [];
  const definition = /^\[\^(c[0-9a-z]{1,20})\]: ([^\n]*(?:\n(?: {4}[^\n]*|[^\S\n]*(?=\n)))*)/gm;
  for (const found of text.matchAll(definition)) {
    const [whole, id = "", said = ""] = found;
    if (code.some(({ from, to }) => from <= found.index && found.index < to)) continue;
    const end = /\n\n {4}<!-- heddle:thread (\{[^\n]*\}) -->[^\S\n]*(?=\n|$)/.exec(said);
    const marker = end === null ? null : readMarker(end[1] ?? "", id);
    const head = /^(.*?), (\d{4}-\d{2}-\d{2}), (open|resolved)(, on deleted text)?, on (the document|"(.*?)"): /.exec(
      said,
    );
    if (end === null || marker === null || head === null) continue;
    const [begin, name = "", day = "", state, deleted, on, quote] = head;
    const comments = commentsOf({ name, day, text: said.slice(begin.length, end.index) }, timeOf);
    const extent = whole.length - said.length + end.index + end[0].length;
    notes.push({
      from: found.index,
      to: found.index + extent,
      marker,
      state: state === "resolved" ? "resolved" : "open",
      about: on === "the document" ? "document" : deleted === undefined ? "words" : "deleted",
      quote: quote ?? null,
      comments,
    });
  }
  return notes;
}

/** The code of an export: a fence that nothing closes would make code of the footnotes behind the text. */
function closedCode(text: string): readonly TextRange[] {
  return codeRanges(text, fencesOf(text, true));
}

function readMarker(json: string, id: string): ThreadMarker | null {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value !== "object" || value === null || !("id" in value) || value.id !== id) return null;
    const read = (name: string): number => {
      const field: unknown = (value as Readonly<Record<string, unknown>>)[name];
      return typeof field === "number" && Number.isSafeInteger(field) && field >= 0 ? field : 0;
    };
    const words = "words" in value && typeof value.words === "string" ? { words: value.words } : {};
    const line = "line" in value && value.line === true ? ({ line: true } as const) : {};
    return { id, length: read("length"), back: read("back"), gap: read("gap"), ...words, ...line };
  } catch {
    return null;
  }
}

/** Splits a footnote into its first comment and the replies. */
function commentsOf(first: { readonly name: string; readonly day: string; readonly text: string }, timeOf: TimeOf) {
  const parts = first.text.split(/\n\n(?= {4}\S[^\n]*?, \d{4}-\d{2}-\d{2}: )/);
  const comments = parts.map((part, index): ImportedComment => {
    const reply = index === 0 ? null : /^ {4}([^\n]*?), (\d{4}-\d{2}-\d{2}): ([^]*)$/.exec(part);
    const [name = first.name, day = first.day, words = part] = reply === null ? [] : reply.slice(1);
    return { name, at: timeOf(day), text: words.replaceAll(/\n {4}/g, "\n") };
  });
  return isNonEmpty(comments) ? comments : ([{ name: first.name, at: timeOf(first.day), text: "" }] as const);
}

/** Takes the definitions out, and where nothing follows them the line feeds that the export put before them. */
function withoutNotes(text: string, notes: readonly Footnote[]): string {
  let bare = "";
  let done = 0;
  for (const [index, { from, to, marker }] of notes.entries()) {
    const kept = text.slice(done, from);
    const own = index === 0 ? (marker.gap ?? 0) : kept.length;
    bare += kept.trim() === "" && index > 0 ? "" : kept.slice(0, kept.length - Math.min(own, trailingLines(kept)));
    done = to;
  }
  const rest = text.slice(done);
  return rest.trim() === "" ? bare : bare + rest;
}

function trailingLines(text: string): number {
  return text.length - text.replace(/\n+$/, "").length;
}

/** Takes the marks of these footnotes out of a text, the first of each that is not in code. */
function withoutMarks(text: string, notes: readonly Footnote[]) {
  const code = closedCode(text);
  const linesById = new Map(notes.map(({ marker }) => [marker.id, marker.line === true]));
  const markPlaces = new Map<string, number>();
  let body = "";
  let done = 0;
  for (const found of text.matchAll(/\[\^(c[0-9a-z]{1,20})\]/g)) {
    const [mark, id = ""] = found;
    const hasOwnLine = linesById.get(id);
    if (hasOwnLine === undefined || markPlaces.has(id)) continue;
    if (code.some(({ from, to }) => from <= found.index && found.index < to)) continue;
    const before = text.slice(done, found.index);
    body += hasOwnLine && before.endsWith("\n") ? before.slice(0, -1) : before;
    markPlaces.set(id, body.length);
    done = found.index + mark.length;
  }
  return { body: body + text.slice(done), markPlaces };
}

/** The range before a mark if its words are those of the export or of the quote; else the word before it. */
function placeOf({ marker, about, quote }: Footnote, body: string, mark: number): ImportedThread["place"] {
  if (about === "document") return null;
  const to = Math.max(0, mark - (marker.back ?? 0));
  if (about === "deleted") return { type: "orphan", at: to };
  const from = Math.max(0, to - marker.length);
  const words = body.slice(from, to);
  if (marker.length === 0 || hash8(words) === marker.words || oneLine(words) === quote)
    return { type: "range", from, to };
  const word = /\S+\s*$/.exec(body.slice(0, mark));
  return { type: "range", from: word?.index ?? mark, to: word === null ? mark : word.index + word[0].trimEnd().length };
}
