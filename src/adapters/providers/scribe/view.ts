import { readOutline, type Heading, type Outline } from "./outline.ts";

/** A tool call that the scribe wants to make. */
export interface Look {
  readonly type: "look";
  readonly tool: "canvas_grep" | "canvas_read_lines" | "canvas_read_all";
  readonly parameters: Readonly<Record<string, string | number>>;
  /** The scribe's words while it looks. */
  readonly saying: string;
}

export interface GrepMatch {
  readonly line: number;
  readonly text: string;
}

/** Most matches that one search returns. */
export const matchesMax = 1000;

/** What the scribe has seen of one revision of the canvas. */
export interface View {
  readonly revision: string | undefined;
  readonly lineCount: number | undefined;
  readonly lines: ReadonlyMap<number, string>;
  /** The lines that form the document's structure; `doubtful` when they are not conclusive. */
  readonly structure: readonly GrepMatch[] | "doubtful" | undefined;
  readonly found: { readonly query: string; readonly lines: readonly number[] } | undefined;
  /** Set when a search found too little: from then on the document is read as a whole. */
  readonly readWhole: boolean;
}

export const blankView: View = {
  revision: undefined,
  lineCount: undefined,
  lines: new Map(),
  structure: undefined,
  found: undefined,
  readWhole: false,
};

/** Finds every line that a heading, a fence, an underline, a tag or a comment starts with. */
export const structureQuery = "/^ {0,3}#{1,6}([ \\t]|$)|^\\s*(`{3,}|~{3,})|^ {0,3}(=+|-+)[ \\t]*$|^ {0,3}<|<!--/";

/** Whether every line has been seen. */
export function isWhole(view: View): boolean {
  return view.lineCount !== undefined && view.lines.size === view.lineCount;
}

/** All lines, in order; requires a whole view. */
export function allLines(view: View): readonly string[] {
  return Array.from({ length: view.lineCount ?? 0 }, (_, at) => view.lines.get(at + 1) ?? "");
}

export const readAll: Look = {
  type: "look",
  tool: "canvas_read_all",
  parameters: {},
  saying: "I'll read the whole text.",
};

/** Returns the headings, or the look that finds them. */
export function seeHeadings(
  view: View,
  wanted: string,
): { readonly type: "seen"; readonly headings: readonly Heading[]; readonly firstLine: number } | Look {
  if (isWhole(view)) {
    const outline = readOutline(allLines(view));
    return { type: "seen", headings: outline.headings, firstLine: outline.firstLine };
  }
  if (view.readWhole || view.structure === "doubtful") return readAll;
  if (view.structure === undefined) {
    return {
      type: "look",
      tool: "canvas_grep",
      parameters: { query: structureQuery, max_matches: matchesMax },
      saying: `I'll look for ${wanted} first.`,
    };
  }
  const headings = headingsOf(view.structure);
  return headings.length === 0 ? readAll : { type: "seen", headings, firstLine: 1 };
}

/** Returns the whole outline, which needs the whole text. */
export function seeOutline(view: View): { readonly type: "seen"; readonly outline: Outline } | Look {
  return isWhole(view) ? { type: "seen", outline: readOutline(allLines(view)) } : readAll;
}

/** Returns the number of lines, or the look that finds it; `near` is a line known to exist. */
export function seeLineCount(view: View, near: number): { readonly type: "seen"; readonly lineCount: number } | Look {
  if (view.lineCount !== undefined) return { type: "seen", lineCount: view.lineCount };
  if (view.readWhole) return readAll;
  // Any read reports the number of lines; the lines around will be needed next.
  return lookAt(Math.max(1, near - 3), near + 4);
}

/** Returns whether lines [from, to] have been seen, or the look that reads them. */
export function seeLines(view: View, from: number, to: number): { readonly type: "seen" } | Look {
  let first = from;
  let last = to;
  while (first <= last && view.lines.has(first)) first += 1;
  while (last >= first && view.lines.has(last)) last -= 1;
  if (first > last) return { type: "seen" };
  return view.readWhole ? readAll : lookAt(first, last);
}

function lookAt(from: number, to: number): Look {
  const saying = from === to ? `Let me look at line ${from}.` : `Let me read lines ${from} to ${to}.`;
  return { type: "look", tool: "canvas_read_lines", parameters: { start_line: from, end_line: to }, saying };
}

/** Whether lines found by `structureQuery` are enough to tell what is a heading. */
export function settles(matches: readonly GrepMatch[]): boolean {
  // An underline may be a rule, tags and comments may hide headings, and an indented fence may not be a fence.
  return matches.every(({ text }) => /^ {0,3}(?:#{1,6}(?:[ \t]|$)|`{3,}|~{3,})/u.test(text) && !text.includes("<!--"));
}

function headingsOf(structure: readonly GrepMatch[]): readonly Heading[] {
  const headings: Heading[] = [];
  let open: string | undefined;
  for (const { line, text } of structure) {
    const marks = /^ {0,3}(`{3,}|~{3,})(.*)$/u.exec(text);
    if (open !== undefined) {
      const [mark = "`"] = open;
      const closed = text.trim();
      if (closed.length >= open.length && closed.replaceAll(mark, "") === "") open = undefined;
    } else if (marks !== null) {
      const inline = marks[1]?.startsWith("`") === true && marks[2]?.includes("`") === true;
      if (!inline) open = marks[1];
    } else {
      const heading = readOutline([text]).headings[0];
      if (heading !== undefined) headings.push({ ...heading, line, endLine: line });
    }
  }
  return headings;
}

/** Returns the first `count` lines of a tool's text, with or without a line end after the last one. */
export function textLines(text: string, count: number): readonly string[] {
  return count === 0 ? [] : text.split(/\r?\n/u).slice(0, count);
}
