import { lineWisePattern } from "./line-wise-regex.ts";
import { lineEndAfter, ShownLines, type SearchMatch, type Span } from "./shown-lines.ts";

/** What to find: a literal text, or a regular expression of JavaScript's syntax that looks at one line at a time. */
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
  /** How many UTF-16 units of a longer line are shown, around the match; default 1,000. */
  readonly lineUnitsMax?: number;
}

/** What was found, in the order of the text. */
export interface Matches {
  readonly matches: readonly SearchMatch[];
  /** Whether there are more matches than were asked for, or than may be shown (`shownUnitsMax`). */
  readonly truncated: boolean;
}

/** So many UTF-16 units of lines are shown of one text; the first match is, in any case. */
export const shownUnitsMax = 100_000;
const lineUnitsDefault = 1_000;

/** How many UTF-16 units of lines are shown. */
export function shownUnits({ matches }: Matches): number {
  return matches.reduce((sum, match) => sum + unitsOf(match), 0);
}

function unitsOf({ context }: SearchMatch): number {
  return context.reduce((sum, line) => sum + line.length, 0);
}

/** What was found, and how the query was read where that is not as it was meant. */
export interface SearchResult extends Matches {
  /** Why the query was searched as literal text though meant as an expression. */
  readonly invalidRegex?: string;
}

/** A text that was looked over once, so that searching it again and again need not. */
export interface SearchableText {
  /** With `\n` as its line end where it was `\r\n`; lines and columns are the same. */
  readonly text: string;
  /** Nothing but `\n` could be taken for the end of a line. */
  readonly plain: boolean;
}

/** Looks over a text once for all searches in it. */
export function searchableText(text: string): SearchableText {
  const unified = text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text;
  const plain = !unified.includes("\r") && !unified.includes("\u2028") && !unified.includes("\u2029");
  return { text: unified, plain };
}

/**
 * Finds matches line by line, in order; lines and columns count from 0. An invalid expression is searched as a literal
 * text, and `invalidRegex` gives the reason. An empty match counts where its line has no other. It can run in a
 * worker, to be stopped where an expression takes too long.
 */
export function searchText(text: string, query: SearchQuery): SearchResult {
  const { find, ...invalid } = compileSearch(query);
  return { ...find(searchableText(text)), ...invalid };
}

/** A search that is made ready once for many texts. */
export interface CompiledSearch {
  readonly find: (searched: SearchableText) => Matches;
  /** Why the query is searched as literal text though meant as an expression. */
  readonly invalidRegex?: string;
}

/** Makes a query ready. An empty one finds nothing; an invalid expression is searched as literal text. */
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
  /** Finds the same in a plain text as a whole; null where only one line at a time will do. */
  readonly wholeText: RegExp | null;
}

/** Compiles an expression by code points, or, where only the older syntax allows it, by units. */
function compileRegex(pattern: string, flags: string): CompiledRegex | { readonly reason: string } {
  const ignoreCase = flags.includes("i") ? "i" : "";
  let reason = "";
  for (const unicode of ["u", ""]) {
    try {
      // As it stands first: only so is an invalid one told.
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
 * The same expression, in a form that V8 tries from its start on. Of one that ends with `$` V8 (as of Node 26, V8 14.6)
 * tries only as many units before the end of the text as it counts in the longest match, and it counts a class that takes
 * signs beyond U+FFFF as one unit: `/[^a]$/u` does not find the end of "😀". An alternative that never matches has no end
 * to be tried from. With the flag `m` nothing is tried from an end.
 */
function soughtFromItsStart(regex: RegExp): RegExp {
  return regex.source.includes("$") ? compiled(`(?:${regex.source})|(?!)`, regex.flags) : regex;
}

/** Compiled at its first use, once for Latin-1 and once for the rest: what is too large fails here, not in the search. */
function compiled(pattern: string, flags: string): RegExp {
  const regex = new RegExp(pattern, flags);
  for (const probe of ["", "\u0100"]) probe.search(regex);
  return regex;
}

function literalSpans(query: string): Spans {
  return function* spans({ text }, oncePerLine) {
    // No line holds its own end.
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

/** Matches of an expression that stays within lines. */
function* wholeTextSpans(text: string, regex: RegExp, oncePerLine: boolean): Generator<Span> {
  regex.lastIndex = 0;
  // Where the line of the last match ends: up to there an empty match says nothing more.
  let matchedUntil = -1;
  for (let match = regex.exec(text); match !== null; match = regex.exec(text)) {
    const start = match.index;
    const end = start + match[0].length;
    // After the last line end no line begins.
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
