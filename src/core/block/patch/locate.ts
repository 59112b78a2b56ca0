import { must } from "../../base/assert.ts";
import { lineOf, textLines, type TextLines } from "../text-lines.ts";

/**
 * The lines of a text for finding runs of lines in it. Comparing at one place reads the text directly; the first search
 * numbers the lines that any hunk has, after which every search is linear (Knuth, Morris, Pratt over the numbers), so
 * that no patch is slow against any text.
 */
export interface LineFinder {
  readonly lineCount: number;
  readonly unterminated: boolean;
  lineText(index: number): string;
  /** How many lines fit from `start` on, in order; all of them is a match. */
  fittingLines(lines: readonly string[], start: number): number;
  /** The first lines of the places where all `lines` stand, ascending, at most `limit`. */
  find(lines: readonly string[], limit: number): readonly number[];
  /** The start for which most of `lines` are in their place; undefined where none is. */
  nearest(lines: readonly string[]): number | undefined;
}

/** `searched` holds every line that will ever be searched for. */
export function createLineFinder(text: string, searched: () => Iterable<string>): LineFinder {
  const lines = textLines(text);
  const lineCount = lines.starts.length;
  let numbers: LineNumbers | undefined;
  const numbered = (): LineNumbers => (numbers ??= numberLines(lines, searched()));

  function lineText(index: number): string {
    return lineOf(lines, index).text;
  }

  return {
    lineCount,
    unterminated: text !== "" && !text.endsWith("\n"),
    lineText,
    fittingLines(wanted, start) {
      let count = 0;
      while (count < wanted.length && start + count < lineCount && lineText(start + count) === wanted[count]) {
        count += 1;
      }
      return count;
    },
    find(wanted, limit) {
      return findRun(numbered(), wanted, limit);
    },
    nearest(wanted) {
      return nearestStart(numbered(), wanted);
    },
  };
}

interface LineNumbers {
  /** The number of each line of the text; 0 for one that no hunk has. */
  readonly text: Int32Array;
  readonly numberByLine: ReadonlyMap<string, number>;
  /** Where each number stands, ascending; cut off beyond `placesMax`. */
  readonly placesByNumber: ReadonlyMap<number, readonly number[]>;
}

/** A line with more places than this tells little about where a hunk belongs. */
const placesMax = 20;

function numberLines(lines: TextLines, searched: Iterable<string>): LineNumbers {
  const numberByLine = new Map<string, number>();
  for (const line of searched) {
    if (!numberByLine.has(line)) numberByLine.set(line, numberByLine.size + 1);
  }
  const count = lines.starts.length;
  const numbers = new Int32Array(count);
  const placesByNumber = new Map<number, number[]>();
  for (let at = 0; at < count; at += 1) {
    const number = numberByLine.get(lineOf(lines, at).text);
    if (number === undefined) continue;
    numbers[at] = number;
    const places = placesByNumber.get(number);
    if (places === undefined) placesByNumber.set(number, [at]);
    else if (places.length <= placesMax) places.push(at);
  }
  return { text: numbers, numberByLine, placesByNumber };
}

function numbersOf(numbers: LineNumbers, lines: readonly string[]): readonly number[] {
  return lines.map((line) => must(numbers.numberByLine.get(line), "every searched line is numbered"));
}

function findRun(numbers: LineNumbers, lines: readonly string[], limit: number): readonly number[] {
  const wanted = numbersOf(numbers, lines);
  for (const [offset, number] of wanted.entries()) {
    const places = numbers.placesByNumber.get(number) ?? [];
    if (places.length > placesMax) continue;
    const starts = places.map((place) => place - offset);
    return starts
      .filter((start) => wanted.every((other, index) => numbers.text[start + index] === other))
      .slice(0, limit);
  }
  return findCommonRun(numbers.text, wanted, limit);
}

function findCommonRun(text: Int32Array, wanted: readonly number[], limit: number): readonly number[] {
  const fallbacks = runFallbacks(wanted);
  const found: number[] = [];
  let matched = 0;
  for (let at = 0; at < text.length && found.length < limit; at += 1) {
    const number = text[at];
    while (matched > 0 && wanted[matched] !== number) {
      matched = fallbacks[matched - 1] ?? 0;
    }
    if (wanted[matched] === number) matched += 1;
    if (matched === wanted.length) found.push(at - wanted.length + 1);
  }
  return found;
}

/** For each prefix, how long its longest proper prefix is that is also its end. */
function runFallbacks(wanted: readonly number[]): Int32Array {
  const fallbacks = new Int32Array(wanted.length);
  let matched = 0;
  for (let at = 1; at < wanted.length; at += 1) {
    while (matched > 0 && wanted[matched] !== wanted[at]) matched = fallbacks[matched - 1] ?? 0;
    if (wanted[matched] === wanted[at]) matched += 1;
    fallbacks[at] = matched;
  }
  return fallbacks;
}

/** Each line that is rare in the text votes for the start that would put it in its place. */
function nearestStart(numbers: LineNumbers, lines: readonly string[]): number | undefined {
  const votes = new Map<number, number>();
  let best: number | undefined;
  let most = 0;
  for (const [offset, number] of numbersOf(numbers, lines).entries()) {
    const places = numbers.placesByNumber.get(number) ?? [];
    if (places.length > placesMax) continue;
    for (const place of places) {
      const start = place - offset;
      if (start < 0) continue;
      const weight = (votes.get(start) ?? 0) + 1 / places.length;
      votes.set(start, weight);
      if (weight <= most) continue;
      best = start;
      most = weight;
    }
  }
  return best;
}
