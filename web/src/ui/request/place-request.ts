import { pageRequest } from "./page-request.ts";

/** Lines of which the first that is there is shown. */
const places = pageRequest<readonly string[]>();

/** Shows some lines in the open document, from any part of the page; returns whether they are there. */
export const askForPlace = places.ask;

/** Runs `show` when lines of the open document are requested; it returns whether one of them is there. */
export const usePlaceAsked = places.useAsked;

/** Shows the words of a search in a document that is being opened: the line of its excerpt that has them. */
export function askForWords(excerpt: string, words: string): void {
  places.askSoon(linesWith(excerpt, words));
}

/** Returns the lines of an excerpt that have words of a query; the ones at its ends may be cut. */
export function linesWith(excerpt: string, words: string): readonly string[] {
  const wanted = words
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "");
  return excerpt.split("\n").filter((line) => wanted.some((word) => line.toLowerCase().includes(word)));
}

/** Shorter pieces of a line are in too many lines. */
const cutLettersMin = 8;

/** Returns the line of a text, from 1, where the first of some lines is that it has; null without any. Blank lines do not count. */
export function lineWithAny(text: string, lines: readonly string[]): number | null {
  const own = text.split("\n");
  for (const line of lines) {
    const at = line.trim() === "" ? -1 : own.indexOf(line);
    if (at !== -1) return at + 1;
  }
  // A line may have been cut, as those at the ends of an excerpt are.
  for (const line of lines) {
    const at = line.trim().length < cutLettersMin ? -1 : own.findIndex((each) => each.includes(line.trim()));
    if (at !== -1) return at + 1;
  }
  return null;
}
