/** A text that was shown to the holder of a lease. */
export interface ShownView {
  readonly revisionId: string;
  /** The canvas's version at that time. */
  readonly version: number;
  readonly text: string;
}

/**
 * How many views are kept, and how many UTF-16 units of text besides the last: a holder that keeps reading no longer needs
 * the first ones.
 */
const viewsMax = 8;
const viewsUnitsMax = 4_000_000;

/** Returns the newest of these views within both bounds; always keeps the last one. */
export function newestViews(views: readonly ShownView[]): readonly ShownView[] {
  let units = 0;
  const from = views.findLastIndex(({ text }, index) => {
    units += text.length;
    return views.length - index > viewsMax || (units > viewsUnitsMax && index < views.length - 1);
  });
  return views.slice(from + 1);
}
