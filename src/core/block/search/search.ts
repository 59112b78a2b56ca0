import { lineWisePattern } from "./line-wise-regex.ts";
import { lineEndAfter, ShownLines, type SearchMatch, type Span } from "./shown-lines.ts";

/** A search query: a literal text, or a JavaScript regular expression that matches within one line. */
export interface SearchQuery {
  readonly query: string;
  readonly mode: "regex" | "literal";
  /** `i` and `u`; other flags make no difference within one line. */
  readonly flags?: string;
  /** Lines shown before and after a match. */
  readonly contextLines: number;
  readonly maxMatches: number;
  /** Report a line once, even when it matches several times. */
  readonly oncePerLine?: boolean;
  /** Number of UTF-16 units of a longer line to show, around the match; default 1,000. */
  readonly lineUnitsMax?: number;
}

/** The matches, in text order. */
export interface Matches {
  readonly matches: readonly SearchMatch[];
  /** Whether there are more matches than requested, or than may be shown (`shownUnitsMax`). */
  readonly truncated: boolean;
}

/** Limit of shown UTF-16 units per text; the first match is always shown. */
export const shownUnitsMax = 100_000;
const lineUnitsDefault = 1_000;

/** Counts the UTF-16 units of shown lines. */
export function shownUnits({ matches }: Matches): number {
  return matches.reduce((sum, match) => sum + unitsOf(match), 0);
}

function unitsOf({ context }: SearchMatch): number {
  return context.reduce((sum, line) => sum + line.length, 0);
}

/** The matches, and how the query was interpreted when it could not be used as written. */
export interface SearchResult extends Matches {
  /** Why the query was searched as literal text although it was meant as a regular expression. */
  readonly invalidRegex?: string;
}

/** A text prepared for repeated searches. */
export interface SearchableText {
  /** The text with every `\r\n` replaced by `\n`; lines and columns are the same. */
  readonly text: string;
  /** Whether `\n` is the only possible line terminator in the text. */
  readonly plain: boolean;
}

/** Prepares a text once for all searches in it. */
export function searchableText(text: string): SearchableText {
  const unified = text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text;
  const plain = !unified.includes("\r") && !unified.includes("\u2028") && !unified.includes("\u2029");
  return { text: unified, plain };
}

/**
 * Finds matches line by line, in order; lines and columns count from 0. An invalid expression is searched as literal text,
 * and `invalidRegex` gives the reason. An empty match counts when its line has no other. Can run in a worker, which is
 * stopped when an expression takes too long.
 */
export function searchText(text: string, query: SearchQuery): SearchResult {
  const { find, ...invalid } = compileSearch(query);
  return { ...find(searchableText(text)), ...invalid };
}

/** A query prepared once for many texts. */
export interface CompiledSearch {
  readonly find: (searched: SearchableText) => Matches;
  /** Why the query is searched as literal text although it was meant as a regular expression. */
  readonly invalidRegex?: string;
}

/** Prepares a query. An empty query finds nothing; an invalid expression is searched as literal text. */
export function compileSearch(query: SearchQuery): CompiledSearch {
  if (query.query === "") return { find: () => ({ matches: [], truncated: false }) };
  const compiled = query.mode === "regex" ? compileRegex(query.query, query.flags ?? "") : null;
  if (compiled === null) return { find: finder(query, literalSpans(query.query)) };
  if ("reason" in compiled) return { find: finder(query, literalSpans(query.query)), invalidRegex: compiled.reason };
  return { find: finder(query, regexSpans(compiled)) };
}

function finder(query: SearchQuery, spansOf: Spans): CompiledSearch["find"] {
  return (searched) => {
    const matches: SearchMatch[] = [];
    const shown = new ShownLines(searched.text, query.contextLines, query.lineUnitsMax ?? lineUnitsDefault);
    let units = 0;
    for (const span of spansOf(searched, query.oncePerLine === true)) {
      if (matches.length === query.maxMatches) return { matches, truncated: true };
      const match = shown.matchAt(span);
      units += unitsOf(match);
      if (units > shownUnitsMax && matches.length > 0) return { matches, truncated: true };
      matches.push(match);
    }
    return { matches, truncated: false };
  };
}

type Spans = (searched: SearchableText, oncePerLine: boolean) => Iterable<Span>;

interface CompiledRegex {
  readonly regex: RegExp;
  /** Finds the same matches in a plain text as a whole; null when the expression must be tried on each line. */
  readonly wholeText: RegExp | null;
}

/** Compiles an expression by code points, or by units when only the older syntax allows it. */
function compileRegex(pattern: string, flags: string): CompiledRegex | { readonly reason: string } {
  const ignoreCase = flags.includes("i") ? "i" : "";
  let reason = "";
  for (const unicode of ["u", ""]) {
    try {
      // The original expression is compiled first, so that an error message quotes it unchanged.
      const asWritten = compiled(pattern, `g${ignoreCase}${unicode}`);
      const regex = unicode === "u" ? soughtFromItsStart(asWritten) : asWritten;
      const lineWise = lineWisePattern(pattern, unicode === "u");
      return { regex, wholeText: lineWise === null ? null : compiled(lineWise, `gm${ignoreCase}${unicode}`) };
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      reason = error.message.slice(error.message.lastIndexOf(": ") + 2);
    }
  }
  return { reason };
}

/**
 * Returns an equivalent expression that V8 tries from its start on. For an expression ending in `$`, V8 (as of Node 26, V8
 * 14.6) tries only as many units before the end of the text as its longest match has, and counts a class that matches
 * characters beyond U+FFFF as one unit: `/[^a]$/u` does not find the end of "😀". An alternative that never matches has no
 * end to start from. With the flag `m` nothing is tried from an end.
 */
function soughtFromItsStart(regex: RegExp): RegExp {
  return regex.source.includes("$") ? compiled(`(?:${regex.source})|(?!)`, regex.flags) : regex;
}

/**
 * Compiles at the first use, once for Latin-1 and once for other text, so that an expression that is too large fails here
 * and not in the search.
 */
function compiled(pattern: string, flags: string): RegExp {
  const regex = new RegExp(pattern, flags);
  for (const probe of ["", "\u0100"]) probe.search(regex);
  return regex;
}

function literalSpans(query: string): Spans {
  return function* spans({ text }, oncePerLine) {
    // A line does not contain its own terminator.
    if (query.includes("\n")) return;
    for (let at = text.indexOf(query); at !== -1;) {
      yield { start: at, end: at + query.length };
      const next = oncePerLine ? lineEndAfter(text, at) : at + query.length;
      at = text.indexOf(query, next);
    }
  };
}

function regexSpans({ regex, wholeText }: CompiledRegex): Spans {
  return (searched, oncePerLine) =>
    searched.plain && wholeText !== null
      ? wholeTextSpans(searched.text, wholeText, oncePerLine)
      : lineSpans(searched.text, regex, oncePerLine);
}

/** Matches an expression that stays within lines. */
function* wholeTextSpans(text: string, regex: RegExp, oncePerLine: boolean): Generator<Span> {
  regex.lastIndex = 0;
  // The end of the last match's line: up to there an empty match adds nothing.
  let matchedUntil = -1;
  for (let match = regex.exec(text); match !== null; match = regex.exec(text)) {
    const start = match.index;
    const end = start + match[0].length;
    // No line begins after the last terminator.
    if (start === text.length && (start === 0 || text.endsWith("\n"))) return;
    const isEmpty = start === end;
    if (isEmpty) regex.lastIndex = end + (regex.unicode && (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1);
    if (isEmpty && start <= matchedUntil) continue;
    yield { start, end };
    if (end > matchedUntil) matchedUntil = lineEndAfter(text, end);
    if (oncePerLine) regex.lastIndex = matchedUntil + 1;
    if (regex.lastIndex > text.length) return;
  }
}

function* lineSpans(text: string, regex: RegExp, oncePerLine: boolean): Generator<Span> {
  for (let from = 0; from < text.length;) {
    const to = lineEndAfter(text, from);
    let any = false;
    for (const match of text.slice(from, to).matchAll(regex)) {
      const end = match.index + match[0].length;
      if (end === match.index && any) continue;
      any = true;
      yield { start: from + match.index, end: from + end };
      if (oncePerLine) break;
    }
    from = to + 1;
  }
}
