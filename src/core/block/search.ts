import { splitLines, type Line } from "../base/lines.ts";

/** What to look for. A regular expression has JavaScript's syntax and looks at one line at a time. */
export interface SearchQuery {
  readonly query: string;
  readonly mode: "regex" | "literal";
  /** `i` and `u`; others make no difference within one line. */
  readonly flags?: string;
  /** Lines shown before and after a match. */
  readonly contextLines: number;
  readonly maxMatches: number;
  /** Report a line once, however often it matches. */
  readonly oncePerLine?: boolean;
}

interface SearchMatch {
  /** 0-based. */
  readonly line: number;
  readonly text: string;
  /** Columns of the match in UTF-16 units, exclusive end. */
  readonly matchStart: number;
  readonly matchEnd: number;
  /** The lines around the match and itself, and the number of the first. */
  readonly context: readonly string[];
  readonly contextStart: number;
}

export interface SearchResult {
  readonly matches: readonly SearchMatch[];
  /** Whether there are more matches than were asked for. */
  readonly truncated: boolean;
  /** Why the query was searched as literal text though meant as an expression. */
  readonly invalidRegex?: string;
}

/**
 * Finds matches line by line, in order. Pure and without memory, so a worker can run it and be stopped when an expression
 * takes too long. An expression that is invalid is searched literally, and the result says so. An empty match counts
 * where its line has no other.
 */
export function searchText(text: string, query: SearchQuery): SearchResult {
  if (query.query === "") return { matches: [], truncated: false };
  const compiled = query.mode === "regex" ? compileRegex(query.query, query.flags ?? "") : { regex: undefined };
  const lines = splitLines(text);
  const found: SearchMatch[] = [];
  for (const [index, line] of lines.entries()) {
    const spans =
      compiled.regex === undefined ? literalSpans(line.text, query.query) : regexSpans(line.text, compiled.regex);
    for (const span of spans) {
      found.push(matchAt(lines, index, span, query.contextLines));
      if (found.length > query.maxMatches || query.oncePerLine === true) break;
    }
    if (found.length > query.maxMatches) break;
  }
  return {
    matches: found.slice(0, query.maxMatches),
    truncated: found.length > query.maxMatches,
    ...(compiled.reason === undefined ? {} : { invalidRegex: compiled.reason }),
  };
}

interface Span {
  readonly start: number;
  readonly end: number;
}

interface CompiledQuery {
  readonly regex: RegExp | undefined;
  readonly reason?: string;
}

/** Compiles an expression by code points, or, where only the older syntax allows it, by units. */
function compileRegex(pattern: string, flags: string): CompiledQuery {
  const ignoreCase = flags.includes("i") ? "i" : "";
  let reason = "";
  for (const unicode of ["u", ""]) {
    try {
      const regex = new RegExp(pattern, `g${ignoreCase}${unicode}`);
      // Compiled at its first use, once for Latin-1 and once for the rest: what is too large fails here, not in the search.
      for (const probe of ["", "\u0100"]) probe.search(regex);
      return { regex };
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      reason = error.message.slice(error.message.lastIndexOf(": ") + 2);
    }
  }
  return { regex: undefined, reason };
}

function* literalSpans(line: string, query: string): Generator<Span> {
  for (let at = line.indexOf(query); at !== -1; at = line.indexOf(query, at + query.length)) {
    yield { start: at, end: at + query.length };
  }
}

function* regexSpans(line: string, regex: RegExp): Generator<Span> {
  let any = false;
  for (const match of line.matchAll(regex)) {
    const end = match.index + match[0].length;
    if (end === match.index && any) continue;
    any = true;
    yield { start: match.index, end };
  }
}

function matchAt(lines: readonly Line[], index: number, span: Span, contextLines: number): SearchMatch {
  const contextStart = Math.max(0, index - contextLines);
  return {
    line: index,
    text: lines[index]?.text ?? "",
    matchStart: span.start,
    matchEnd: span.end,
    context: lines.slice(contextStart, index + contextLines + 1).map((line) => line.text),
    contextStart,
  };
}
