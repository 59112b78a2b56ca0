import { refusal, type Refusal } from "../../base/errors.ts";
import { lineAt, lineStarts, splitLines } from "../../base/lines.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { beginningOf } from "../../base/shortened.ts";
import type { TextChange } from "../../text/types.ts";
import { lineText, textLines } from "../change/text-lines.ts";

/** A passage to find literally, and its replacement. */
export interface Replacement {
  /** Not empty. */
  readonly search: string;
  readonly replace: string;
}

/** Number of places of one passage that a refusal names at most. */
const placesShownMax = 10;
const shownUnitsMax = 200;
/** Limits of the search for the nearest place: units and lines of a passage, and lines of the text for all passages. */
const passageUnitsMax = 100_000;
const passageLinesMax = 200;
const comparedLinesMax = 200_000;

/**
 * Plans replacements against a text, all or none. All refer to the original text; each passage must occur exactly once, byte
 * for byte except for line ends, and no two may overlap. Refuses with CONTENT_MISMATCH, which says of each wrong passage
 * that it does not occur or at which lines, from 1, it occurs, or with OVERLAPPING_OPERATIONS.
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

/** Converts line ends: models write `\n` only, and mean the text's own line ends. */
function lineEndsFitted(text: string): (given: Replacement) => Replacement {
  if (!text.includes("\r\n")) return (given) => given;
  const endsAllAlike = !/(?<!\r)\n/.test(text);
  return (given) => {
    const { search, replace } = given;
    if (search.includes("\r")) return given;
    // For a passage within one line, the meaning of a new line end is clear only when all line ends of the text are alike.
    const isMeant = search.includes("\n") ? !text.includes(search) : endsAllAlike;
    if (!isMeant) return given;
    return { search: search.replaceAll("\n", "\r\n"), replace: replace.replaceAll(/\r?\n/g, "\r\n") };
  };
}

/** Returns the offsets of the passage, as many as are shown at most; occurrences may overlap. */
function placesOf(text: string, search: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(search); at !== -1; at = text.indexOf(search, at + 1)) {
    places.push(at);
    if (places.length === placesShownMax) break;
  }
  return places;
}

/** A passage that occurs nowhere or several times. */
interface Miss {
  /** The number of the replacement, from 1. */
  readonly replacement: number;
  readonly search: string;
  readonly places: readonly number[];
}

interface Mistake {
  /** The number of the replacement, from 1. */
  readonly replacement: number;
  /** The lines at which it occurs, from 1; empty: nowhere. */
  readonly lines: readonly number[];
  readonly nearest?: Nearest;
}

/** The nearest place in the text: the first line that differs, from 1. */
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
    const lines = places.map((place) => lineAt(starts, place) + 1);
    const near = nearest[lost.indexOf(miss)] ?? null;
    return { replacement, lines, ...(near === null ? {} : { nearest: near }) };
  });
}

/**
 * Finds, for each passage, the place at which most of its lines match, ignoring spaces at line ends; null when none does.
 * One pass over the text for any number of passages.
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
    // The difference is in the line after the matching ones, or in the spaces of a matching line.
    const differs = wanted.findIndex((line, at) => lineOf(best.line + at) !== line);
    if (differs === -1) return null;
    const expected = beginningOf(wanted[differs] ?? "", shownUnitsMax);
    const actual = beginningOf(lineOf(best.line + differs) ?? "", shownUnitsMax);
    return { line: best.line + differs + 1, expected, actual };
  });
}

function mismatch(mistakes: readonly Mistake[]): Refusal {
  const sentences = mistakes.map(({ replacement, lines, nearest }) => {
    if (lines.length > 0) {
      return `The passage of replacement ${replacement} occurs more than once (lines ${lines.join(", ")}). Give more of the lines around it.`;
    }
    const near =
      nearest === undefined
        ? "read the file again and copy it exactly"
        : `at line ${nearest.line} the file says ${JSON.stringify(nearest.actual)}, not ${JSON.stringify(nearest.expected)}`;
    return `The passage of replacement ${replacement} is not in the file: ${near}.`;
  });
  return refusal("CONTENT_MISMATCH", { mistakes }, `${sentences.join(" ")} Nothing was changed.`);
}
