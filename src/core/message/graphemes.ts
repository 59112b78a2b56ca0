/**
 * Where a text may be cut without breaking what a person sees as one character (a grapheme cluster of Unicode: surrogate
 * pairs, combining marks, joined emoji, `\r\n`). Positions are UTF-16 units.
 */

/** Whether no grapheme spans the position; both ends of a text are boundaries. */
export function isGraphemeBoundary(text: string, at: number): boolean {
  return graphemeFloor(text, at) === at;
}

/** The last boundary at or before a position in [0, length]. */
export function graphemeFloor(text: string, at: number): number {
  if (at <= 0) return 0;
  if (at >= text.length) return text.length;
  // Made when asked: a browser without it can still do everything else.
  const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" });
  return graphemes.segment(text).containing(at)?.index ?? 0;
}
