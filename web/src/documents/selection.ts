/** What is selected in a list, and the row from which a range is counted. */
export interface RowSelection {
  readonly keys: ReadonlySet<string>;
  /** The row with the focus; null before the first. */
  readonly at: string | null;
  /** Where a range began. */
  readonly anchor: string | null;
}

export const nothingSelected: RowSelection = { keys: new Set(), at: null, anchor: null };

/** How a row is chosen: alone, in addition (Ctrl), or with all rows from the anchor on (Shift). */
export type Choice = "alone" | "also" | "range";

/** Returns the selection after a row was chosen; `keys` are all rows in their order. */
export function chosen(before: RowSelection, key: string, how: Choice, keys: readonly string[]): RowSelection {
  switch (how) {
    case "alone":
      return { keys: new Set([key]), at: key, anchor: key };
    case "also": {
      const next = new Set(before.keys);
      if (!next.delete(key)) next.add(key);
      return { keys: next, at: key, anchor: key };
    }
    case "range": {
      const anchor = before.anchor !== null && keys.includes(before.anchor) ? before.anchor : key;
      const [from, to] = [keys.indexOf(anchor), keys.indexOf(key)].toSorted((a, b) => a - b);
      return { keys: new Set(keys.slice(from, (to ?? 0) + 1)), at: key, anchor };
    }
  }
}

/** Returns the selection without rows that are gone. The focus stays by its place: on the row that is there now. */
export function within(before: RowSelection, keys: readonly string[], placeBefore: number): RowSelection {
  const known = new Set(keys);
  if ([...before.keys].every((key) => known.has(key)) && (before.at === null || known.has(before.at))) return before;
  const at =
    before.at === null || known.has(before.at) ? before.at : (keys[Math.min(placeBefore, keys.length - 1)] ?? null);
  return {
    keys: new Set([...before.keys].filter((key) => known.has(key))),
    at,
    anchor: before.anchor !== null && known.has(before.anchor) ? before.anchor : at,
  };
}
