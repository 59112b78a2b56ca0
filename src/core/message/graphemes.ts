/**
 * Places where a text can be cut without splitting a grapheme cluster of Unicode, which people see as one character
 * (surrogate pairs, combining marks, joined emoji, `\r\n`). Positions are UTF-16 units.
 */

/** Whether a position lies between graphemes; both ends of a text count as boundaries. */
export function isGraphemeBoundary(text: string, at: number): boolean {
  return graphemeFloor(text, at) === at;
}

/** Returns the last boundary at or before a position in [0, length]. */
export function graphemeFloor(text: string, at: number): number {
  if (at <= 0) return 0;
  if (at >= text.length) return text.length;
  // Created on use, so that a browser without Intl.Segmenter can still do everything else.
  const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" });
  return graphemes.segment(text).containing(at)?.index ?? 0;
}
