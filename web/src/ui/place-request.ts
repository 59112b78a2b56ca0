import { useEffect, useRef } from "react";

/** Shows the first of some lines in a document; returns whether one of them is there. */
type ShowLines = (lines: readonly string[]) => boolean;

const listeners = new Set<ShowLines>();

/** Shows some lines in the open document, from any part of the page; returns whether they are there. */
export function askForPlace(lines: readonly string[]): boolean {
  return [...listeners].some((show) => show(lines));
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

/** Returns the line of a text, from 1, where the first of some lines is that it has; null without any. Blank lines do not count. */
export function lineWithAny(text: string, lines: readonly string[]): number | null {
  const own = text.split("\n");
  for (const line of lines) {
    const at = line.trim() === "" ? -1 : own.indexOf(line);
    if (at !== -1) return at + 1;
  }
  return null;
}
