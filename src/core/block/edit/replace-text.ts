import { refusal, type Refusal } from "../../base/errors.ts";
import { lineAt, lineStarts, splitLines } from "../../base/lines.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { beginningOf } from "../../base/shortened.ts";
import type { TextChange } from "../../text/types.ts";
import { lineText, textLines } from "../change/text-lines.ts";

/** A passage to be found as it stands, and what is to stand there. */
export interface Replacement {
  /** Not empty. */
  readonly search: string;
  readonly replace: string;
}

/** How many places of one passage a refusal names. */
const placesShownMax = 10;
const shownUnitsMax = 200;
/** How much of a passage is compared to find where it comes nearest, and how many lines of the text for all of them. */
const passageUnitsMax = 100_000;
const passageLinesMax = 200;
const comparedLinesMax = 200_000;

/**
 * Plans replacements against a text. All refer to the text as it is; each passage must stand there exactly once, byte for
 * byte but for the line ends, and no two may overlap; all of them or none. Refused with CONTENT_MISMATCH, which says for
 * each passage at fault whether it stands nowhere or at which lines, counted from 1, or with OVERLAPPING_OPERATIONS.
 */
export function planReplacements(
  text: string,
  replacements: readonly Replacement[],
): Result<readonly TextChange[], Refusal> {
  const inItsLineEnds = lineEndsFitted(text);
  const changes: TextChange[] = [];
  const misses: Miss[] = [];
  for (const [index, given] of replacements.entries()) {
    const { search, replace } = inItsLineEnds(given);
    const places = search.isWellFormed() ? placesOf(text, search) : [];
    const [from] = places;
    if (from === undefined || places.length > 1) misses.push({ replacement: index + 1, search, places });
    else changes.push({ from, to: from + search.length, insert: replace });
  }
  if (misses.length > 0) return err(mismatch(mistakesOf(text, misses)));
  changes.sort((a, b) => a.from - b.from);
  const overlaps = changes.some((change, index) => index > 0 && change.from < (changes[index - 1]?.to ?? 0));
  if (overlaps) return err(refusal("OVERLAPPING_OPERATIONS"));
  return ok(changes.filter(({ from, to, insert }) => text.slice(from, to) !== insert));
}

/** Models write newlines alone; where the text ends its lines otherwise, they mean those. */
function lineEndsFitted(text: string): (given: Replacement) => Replacement {
  if (!text.includes("\r\n")) return (given) => given;
  const endsAllAlike = !/(?<!\r)\n/.test(text);
  return (given) => {
    const { search, replace } = given;
    if (search.includes("\r")) return given;
    // Within a line, only a text that ends all its lines alike says which end is meant.
    const isMeant = search.includes("\n") ? !text.includes(search) : endsAllAlike;
    if (!isMeant) return given;
    return { search: search.replaceAll("\n", "\r\n"), replace: replace.replaceAll(/\r?\n/g, "\r\n") };
  };
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

/** A passage that stands nowhere, or at several places. */
interface Miss {
  /** The replacement, from 1. */
  readonly replacement: number;
  readonly search: string;
  readonly places: readonly number[];
}

interface Mistake {
  /** The replacement, from 1. */
  readonly replacement: number;
  /** Lines at which it stands, from 1; empty: nowhere. */
  readonly lines: readonly number[];
  readonly nearest?: Nearest;
}

/** Where the text comes nearest: the first line that differs, from 1. */
interface Nearest {
  readonly line: number;
  readonly expected: string;
  readonly actual: string;
}

function mistakesOf(text: string, misses: readonly Miss[]): readonly Mistake[] {
  const starts = lineStarts(text);
  const lost = misses.filter(({ places }) => places.length === 0);
  const nearest = nearestPlaces(
    text,
    lost.map(({ search }) => search),
  );
  return misses.map((miss) => {
    const { replacement, places } = miss;
    const lines = places.slice(0, placesShownMax).map((place) => lineAt(starts, place) + 1);
    const near = nearest[lost.indexOf(miss)] ?? null;
    return { replacement, lines, ...(near === null ? {} : { nearest: near }) };
  });
}

/**
 * For each passage the place of which most lines stand as they are asked for, blanks at their ends aside; null where none
 * does. One walk over the text, however many passages there are.
 */
function nearestPlaces(text: string, searches: readonly string[]): readonly (Nearest | null)[] {
  const lines = textLines(text);
  const count = lines.starts.length;
  const lineOf = (index: number): string | undefined => (index < count ? lineText(lines, index) : undefined);
  const passages = searches.map((search) => {
    const wanted = splitLines(search.slice(0, passageUnitsMax)).slice(0, passageLinesMax);
    return { wanted: wanted.map((line) => line.text), best: { line: 0, fitting: 0 } };
  });
  const passagesByFirst = Map.groupBy(passages, ({ wanted }) => wanted[0]?.trim() ?? "");
  passagesByFirst.delete("");
  let left = passagesByFirst.size === 0 ? 0 : comparedLinesMax;
  for (let index = 0; index < count && left > 0; index += 1) {
    for (const passage of passagesByFirst.get(lineText(lines, index).trim()) ?? []) {
      const { wanted, best } = passage;
      let fitting = 1;
      while (fitting < wanted.length && lineOf(index + fitting)?.trim() === wanted[fitting]?.trim()) fitting += 1;
      left -= fitting;
      if (fitting > best.fitting) passage.best = { line: index, fitting };
    }
  }
  return passages.map(({ wanted, best }) => {
    if (best.fitting === 0) return null;
    // What differs is a word of the line after those that fit; where all fit, blanks of one of them.
    const differs = wanted.findIndex((line, at) => lineOf(best.line + at) !== line);
    if (differs === -1) return null;
    const expected = beginningOf(wanted[differs] ?? "", shownUnitsMax);
    const actual = beginningOf(lineOf(best.line + differs) ?? "", shownUnitsMax);
    return { line: best.line + differs + 1, expected, actual };
  });
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
