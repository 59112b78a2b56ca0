const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Characters of two cells: East Asian wide and fullwidth forms, and emoji with picture presentation by default. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|[\u{16fe0}-\u{18aff}\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;
const nothing = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;

/** Splits a text into graphemes, which readers see as one character each. */
export function graphemesOf(text: string): readonly string[] {
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

/** Returns the number of terminal cells of one grapheme. */
export function graphemeCells(grapheme: string): number {
  if (nothing.test(grapheme)) return 0;
  return wide.test(grapheme) ? 2 : 1;
}

/** Returns the number of cells of a text without colours on one line. */
export function cellsOf(text: string): number {
  return graphemesOf(text).reduce((sum, each) => sum + graphemeCells(each), 0);
}

/**
 * Returns the beginning of a text that fits into so many cells, with an ellipsis where text is cut. The text has no colours.
 */
export function clipped(text: string, cellsMax: number): string {
  if (cellsOf(text) <= cellsMax) return text;
  let cells = 1;
  let kept = "";
  for (const each of graphemesOf(text)) {
    cells += graphemeCells(each);
    if (cells > cellsMax) break;
    kept += each;
  }
  return cellsMax < 1 ? "" : `${kept}…`;
}

/** Returns the end of a text that fits. */
export function clippedFront(text: string, cellsMax: number): string {
  if (cellsOf(text) <= cellsMax) return text;
  let cells = 1;
  let kept = "";
  for (const each of graphemesOf(text).toReversed()) {
    cells += graphemeCells(each);
    if (cells > cellsMax) break;
    kept = each + kept;
  }
  return cellsMax < 1 ? "" : `…${kept}`;
}
