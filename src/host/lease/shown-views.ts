/** A text that the holder of a lease was shown. */
export interface ShownView {
  readonly revisionId: string;
  /** The canvas's, as it was then. */
  readonly version: number;
  readonly text: string;
}

/** How many of them are kept, and how much text beside the last: who reads on and on has long left the first ones behind. */
const viewsMax = 8;
const viewsUnitsMax = 4_000_000;

/** The newest of these views, within both bounds; the last one always. */
export function newestViews(views: readonly ShownView[]): readonly ShownView[] {
  let units = 0;
  const from = views.findLastIndex(({ text }, index) => {
    units += text.length;
    return views.length - index > viewsMax || (units > viewsUnitsMax && index < views.length - 1);
  });
  return views.slice(from + 1);
}
