import { refusal, type Refusal } from "../base/errors.ts";
import { lineAt, lineStarts, splitLines } from "../base/lines.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { TextChange } from "../text/types.ts";

/** A passage to be found as it stands, and what is to stand there. */
export interface Replacement {
  /** Not empty. */
  readonly search: string;
  readonly replace: string;
}

/** How many places of one passage a refusal names. */
const placesShownMax = 10;
const shownUnitsMax = 200;
/** How many lines of a passage, and at how many places, are compared to find where it comes nearest. */
const nearestLinesMax = 200;
const nearestPlacesMax = 1_000;

/**
 * Plans replacements against a text. All refer to the text as it is; each passage must stand there exactly once, byte for
 * byte but for the line ends, and no two may overlap; all of them or none. Refused with CONTENT_MISMATCH, which says for
 * each passage at fault whether it stands nowhere or at which lines, counted from 1, or with OVERLAPPING_OPERATIONS.
 */
export function planReplacements(
  text: string,
  replacements: readonly Replacement[],
): Result<readonly TextChange[], Refusal> {
  const changes: TextChange[] = [];
  const mistakes: Mistake[] = [];
  for (const [index, given] of replacements.entries()) {
    const { search, replace } = inLineEndsOf(text, given);
    const places = search.isWellFormed() ? placesOf(text, search) : [];
    const [from] = places;
    if (from === undefined || places.length > 1) mistakes.push(mistakeOf(text, { number: index + 1, search, places }));
    else changes.push({ from, to: from + search.length, insert: replace });
  }
  if (mistakes.length > 0) return err(mismatch(mistakes));
  changes.sort((a, b) => a.from - b.from);
  const overlaps = changes.some((change, index) => index > 0 && change.from < (changes[index - 1]?.to ?? 0));
  if (overlaps) return err(refusal("OVERLAPPING_OPERATIONS"));
  return ok(changes.filter(({ from, to, insert }) => text.slice(from, to) !== insert));
}

/** Models write newlines alone; where the text ends its lines otherwise, they mean those. */
function inLineEndsOf(text: string, given: Replacement): Replacement {
  const { search, replace } = given;
  if (!text.includes("\r\n") || search.includes("\r")) return given;
  // Within a line, only a text that ends all its lines alike says which end is meant.
  const isMeant = search.includes("\n") ? !text.includes(search) : !/(?<!\r)\n/.test(text);
  if (!isMeant) return given;
  return { search: search.replaceAll("\n", "\r\n"), replace: replace.replaceAll(/\r?\n/g, "\r\n") };
}

/** Where the passage begins, up to one place more than is shown; places may overlap. */
function placesOf(text: string, search: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(search); at !== -1; at = text.indexOf(search, at + 1)) {
    places.push(at);
    if (places.length > placesShownMax) break;
  }
  return places;
}

interface Mistake {
  /** The replacement, from 1. */
  readonly replacement: number;
  /** Lines at which it stands, from 1; empty: nowhere. */
  readonly lines: readonly number[];
  /** Where the text comes nearest: the first line that differs. */
  readonly nearest?: { readonly line: number; readonly expected: string; readonly actual: string };
}

function mistakeOf(
  text: string,
  { number, search, places }: { readonly number: number; readonly search: string; readonly places: readonly number[] },
): Mistake {
  if (places.length > 0) {
    const starts = lineStarts(text);
    const lines = places.slice(0, placesShownMax).map((place) => lineAt(starts, place) + 1);
    return { replacement: number, lines };
  }
  const nearest = nearestPlace(text, search);
  return { replacement: number, lines: [], ...(nearest === null ? {} : { nearest }) };
}

/** The place of which most lines stand as they are asked for, blanks at their ends aside; null where none does. */
function nearestPlace(text: string, search: string): NonNullable<Mistake["nearest"]> | null {
  const wanted = splitLines(search.slice(0, 100_000))
    .slice(0, nearestLinesMax)
    .map((line) => line.text);
  const lines = splitLines(text).map((line) => line.text);
  const first = wanted[0]?.trim() ?? "";
  if (first === "") return null;
  let best: { readonly line: number; readonly at: number } | null = null;
  let compared = 0;
  for (const [index, line] of lines.entries()) {
    if (compared === nearestPlacesMax || line.trim() !== first) continue;
    compared += 1;
    let at = 0;
    while (at < wanted.length && lines[index + at]?.trim() === wanted[at]?.trim()) at += 1;
    if (best === null || at > best.at) best = { line: index, at };
  }
  if (best === null) return null;
  // What differs is a word of the line after those that fit; where all fit, blanks of one of them.
  const differs = wanted.findIndex((line, at) => lines[best.line + at] !== line);
  if (differs === -1) return null;
  const expected = (wanted[differs] ?? "").slice(0, shownUnitsMax).toWellFormed();
  const actual = (lines[best.line + differs] ?? "").slice(0, shownUnitsMax).toWellFormed();
  return { line: best.line + differs + 1, expected, actual };
}

function mismatch(mistakes: readonly Mistake[]): Refusal {
  const told = mistakes.map(({ replacement, lines, nearest }) => {
    if (lines.length > 0) {
      return `The passage of replacement ${replacement} stands more than once (lines ${lines.join(", ")}); give more of the lines around it.`;
    }
    const near =
      nearest === undefined
        ? "read the file again and copy it exactly"
        : `at line ${nearest.line} the file says ${JSON.stringify(nearest.actual)}, not ${JSON.stringify(nearest.expected)}`;
    return `The passage of replacement ${replacement} does not stand in the file: ${near}.`;
  });
  return refusal("CONTENT_MISMATCH", { mistakes }, `${told.join(" ")} Nothing was changed.`);
}
