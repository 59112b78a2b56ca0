import { useEffect, useRef } from "react";

/** Shows the first of some lines in a document; returns whether one of them is there. */
type ShowLines = (lines: readonly string[]) => boolean;

const listeners = new Set<ShowLines>();

/** Shows some lines in the open document, from any part of the page; returns whether they are there. */
export function askForPlace(lines: readonly string[]): boolean {
  return [...listeners].some((show) => show(lines));
}

/** How often, once a frame, the text of an opened document is looked for. */
const looksMax = 120;

/** Shows the words of a search in a document that is being opened: the line of its excerpt that has them. */
export function askForWords(excerpt: string, words: string): void {
  const lines = linesWith(excerpt, words);
  let looks = 0;
  const look = (): void => {
    looks += 1;
    if (!askForPlace(lines) && looks < looksMax) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/** Returns the lines of an excerpt that have words of a query; the ones at its ends may be cut. */
export function linesWith(excerpt: string, words: string): readonly string[] {
  const wanted = words
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "");
  return excerpt.split("\n").filter((line) => wanted.some((word) => line.toLowerCase().includes(word)));
}

/** Runs `show` when lines of the open document are requested. */
export function usePlaceAsked(show: ShowLines): void {
  const latest = useRef(show);
  latest.current = show;
  useEffect(() => {
    const listener: ShowLines = (lines) => latest.current(lines);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, []);
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
