import { refusal, type Refusal } from "../../base/errors.ts";
import { lineAt } from "../../base/lines.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { shortened } from "../../base/shortened.ts";
import { lineBounds, lineText, textLines, type TextLines } from "../change/text-lines.ts";
import { resolveAnchor } from "../edit/anchor.ts";
import type { TextRange } from "../../text/types.ts";

/** How a program or a model names a range of a document: by lines, by exact words, or both. */
export interface NamedRange {
  /** `14`, `14-15` or an anchor `N:hash`; from 1, ends included. */
  readonly lines?: string;
  /** Words of the document, letter for letter; a `\n` also matches `\r\n`. */
  readonly quote?: string;
  /** Which of several places with these words, from 1. */
  readonly occurrence?: number;
}

const shownPlaces = 5;
const shownLines = 20;
const shownUnits = 200;

/** Finds a named range; null for the whole document, when neither lines nor words are given. Nothing is guessed. */
export function findNamedRange(text: string, named: NamedRange): Result<TextRange | null, Refusal> {
  const { lines: given, quote, occurrence } = named;
  const lines = textLines(text);
  const within = given === undefined ? ok({ from: 0, to: text.length }) : rangeOfLines(lines, given);
  if (!within.ok) return within;
  if (quote === undefined) return ok(given === undefined ? null : within.value);
  if (quote === "") return err(refusal("INVALID_PARAMS", { quote, expected: "words of the document" }));
  const found = occurrences(text, quote, within.value);
  if (found.length === 0) return err(notFound(lines, quote, given === undefined ? null : within.value));
  if (occurrence !== undefined) {
    const one = found[occurrence - 1];
    if (one !== undefined) return ok(one);
    return err(refusal("QUOTE_NOT_FOUND", { quote, occurrence, occurrences: found.length }));
  }
  const [only] = found;
  if (found.length === 1 && only !== undefined) return ok(only);
  const places = found.slice(0, shownPlaces).map((range) => placeOf(lines, range.from));
  return err(refusal("QUOTE_AMBIGUOUS", { quote, occurrences: found.length, found_at: places }));
}

function rangeOfLines(lines: TextLines, given: string): Result<TextRange, Refusal> {
  const count = lines.starts.length;
  const numbers = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(given.trim());
  if (numbers === null) {
    const resolved = resolveAnchor(lines, given, 1);
    return resolved.ok ? ok(boundsOf(lines, resolved.value.start, resolved.value.end - 1)) : resolved;
  }
  const first = Number(numbers[1]);
  const last = Number(numbers[2] ?? numbers[1]);
  if (first < 1 || last < first) {
    return err(refusal("INVALID_PARAMS", { lines: given, expected: "a line from 1, or a first and a last line" }));
  }
  if (last > count) return err(refusal("LINE_OUT_OF_RANGE", { lines: given, requested: last, max: count }));
  return ok(boundsOf(lines, first - 1, last - 1));
}

/** Lines from 0, ends included, without the last terminator. */
function boundsOf(lines: TextLines, first: number, last: number): TextRange {
  return { from: lineBounds(lines, first).from, to: lineBounds(lines, last).to };
}

function occurrences(text: string, quote: string, { from, to }: TextRange): readonly TextRange[] {
  const found: TextRange[] = [];
  if (!quote.includes("\n")) {
    for (let at = text.indexOf(quote, from); at !== -1 && at + quote.length <= to; at = text.indexOf(quote, at + 1)) {
      found.push({ from: at, to: at + quote.length });
    }
    return found;
  }
  const escaped = quote.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll(/\r?\n/g, String.raw`\r?\n`);
  for (const match of text.slice(from, to).matchAll(new RegExp(escaped, "g"))) {
    found.push({ from: from + match.index, to: from + match.index + match[0].length });
  }
  return found;
}

function notFound(lines: TextLines, quote: string, within: TextRange | null): Refusal {
  const elsewhere = occurrences(lines.text, quote, { from: 0, to: lines.text.length });
  const actual = within === null ? undefined : shownText(lines, within);
  return refusal("QUOTE_NOT_FOUND", {
    quote: shortened(quote, shownUnits),
    ...(actual === undefined ? {} : { actual }),
    found_at: elsewhere.slice(0, shownPlaces).map((range) => placeOf(lines, range.from)),
  });
}

/** The lines of a range as they are, at most twenty. */
function shownText(lines: TextLines, { from, to }: TextRange): readonly string[] {
  const first = Math.max(0, lineAt(lines.starts, from));
  const last = Math.max(first, lineAt(lines.starts, Math.max(from, to - 1)));
  const shown: string[] = [];
  for (let line = first; line <= last && line < lines.starts.length && shown.length < shownLines; line += 1) {
    shown.push(`${line + 1}: ${shortened(lineText(lines, line), shownUnits)}`);
  }
  return shown;
}

function placeOf(lines: TextLines, at: number): { readonly line: number; readonly column: number } {
  const line = Math.max(0, lineAt(lines.starts, at));
  return { line: line + 1, column: at - (lines.starts[line] ?? 0) };
}
