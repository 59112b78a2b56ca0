const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Signs that take two cells: East Asian wide and fullwidth forms, and emoji that are pictures by themselves. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|[\u{16fe0}-\u{18aff}\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;
const nothing = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;

/** What a reader takes for one sign each, in order. */
export function graphemesOf(text: string): readonly string[] {
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

/** How many cells of a terminal one grapheme takes. */
export function graphemeCells(grapheme: string): number {
  if (nothing.test(grapheme)) return 0;
  return wide.test(grapheme) ? 2 : 1;
}

/** How many cells a text without colours takes on one line. */
export function cellsOf(text: string): number {
  return graphemesOf(text).reduce((sum, each) => sum + graphemeCells(each), 0);
}

/** The beginning of a text that fits into so many cells, with an ellipsis where something is left out. No colours in it. */
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

/** The end of a text that fits. */
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
