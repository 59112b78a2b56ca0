import type { NodeId } from "../../../../src/core/base/ids.ts";

/** The rows that are rendered, by index: `end` is the first one after them. */
export interface RowWindow {
  readonly first: number;
  readonly end: number;
}

/** Identifies a list of rows by its ends, so that rows loaded above are told from another branch. */
export interface RowEnds {
  readonly rowCount: number;
  readonly firstId: NodeId | undefined;
  readonly lastId: NodeId | undefined;
}

/** Number of rows rendered at the end of a branch before its heights are known. */
const rowsAtOnce = 60;
/** How far around the visible part rows are rendered, and how far they stay. In heights of the visible part. */
const drawnAround = 1.5;
const keptAround = 4;
/** How near the end of what is rendered may come before more is rendered: at once, and in advance. In heights of the visible part. */
const nearAround = { atOnce: 0.75, inAdvance: 1.1 };

/** Returns how many rows were added at the beginning: the end stayed, and the beginning is another. */
export function rowsAdded(before: RowEnds, now: RowEnds): number {
  const grewAbove = before.lastId !== undefined && before.lastId === now.lastId && before.firstId !== now.firstId;
  return grewAbove ? Math.max(0, now.rowCount - before.rowCount) : 0;
}

/**
 * Returns the window after the rows have changed: it stays with its rows, grows with the end of the branch when it was
 * there, and begins at the end of a branch that is much longer or shorter.
 */
export function windowAfter(before: RowEnds, now: RowEnds, window: RowWindow | null): RowWindow {
  const added = rowsAdded(before, now);
  const latest = { first: Math.max(0, now.rowCount - rowsAtOnce), end: now.rowCount };
  const known = before.rowCount + added;
  if (window === null || now.rowCount > known + rowsAtOnce) return latest;
  const first = Math.min(window.first + added, Math.max(window.first, latest.first));
  const end = window.end + added;
  if (first >= now.rowCount) return latest;
  return { first, end: end >= known ? now.rowCount : Math.min(end, now.rowCount) };
}

/** Returns the window around a row that is sought. */
export function windowAround(index: number, rowCount: number): RowWindow {
  return { first: Math.max(0, index - rowsAtOnce / 3), end: Math.min(rowCount, index + rowsAtOnce / 3) };
}

/** Heights of rows, in pixels: those that were seen, and the mean of them for the others. */
export class RowHeights {
  readonly #byId = new Map<NodeId, number>();
  #sum = 0;
  #width = 0;

  /** Forgets all heights when the list has another width. */
  atWidth(width: number): void {
    if (width === this.#width) return;
    this.#width = width;
    this.#byId.clear();
    this.#sum = 0;
  }

  set(id: NodeId, height: number): void {
    this.#sum += height - (this.#byId.get(id) ?? 0);
    this.#byId.set(id, height);
  }

  get mean(): number {
    return this.#byId.size === 0 ? 180 : this.#sum / this.#byId.size;
  }

  /** The height of all rows from `first` to before `end`. */
  between(ids: readonly NodeId[], first: number, end: number): number {
    const { mean } = this;
    let height = 0;
    for (let index = first; index < end; index += 1) height += this.#byId.get(ids[index] as NodeId) ?? mean;
    return height;
  }

  /** The index of the row at `offset` pixels below the beginning of the list. */
  at(ids: readonly NodeId[], offset: number): number {
    const { mean } = this;
    let height = 0;
    for (let index = 0; index < ids.length; index += 1) {
      height += this.#byId.get(ids[index] as NodeId) ?? mean;
      if (height > offset) return index;
    }
    return Math.max(0, ids.length - 1);
  }
}

/** What is seen of a list, and what is rendered of it; pixels below the beginning of its first row. */
export interface SeenPart {
  readonly top: number;
  readonly height: number;
  readonly drawnTop: number;
  readonly drawnBottom: number;
}

/** Returns the window to render for what is seen; the same object when enough is rendered and little else. */
export function windowFor(
  seen: SeenPart,
  window: RowWindow,
  rows: {
    readonly ids: readonly NodeId[];
    readonly heights: RowHeights;
    /** Whether the browser has time for rows that are not needed yet. */
    readonly inAdvance?: boolean;
  },
): RowWindow {
  const { ids, heights, inAdvance = false } = rows;
  const bottom = seen.top + seen.height;
  const near = seen.height * (inAdvance ? nearAround.inAdvance : nearAround.atOnce);
  const far = seen.height * keptAround;
  const isCoveredAbove = window.first === 0 || seen.drawnTop <= seen.top - near;
  const isCoveredBelow = window.end === ids.length || seen.drawnBottom >= bottom + near;
  const isExcess = seen.top - seen.drawnTop > 2 * far || seen.drawnBottom - bottom > 2 * far;
  if (isCoveredAbove && isCoveredBelow && !isExcess) return window;
  const at = (offset: number): number => heights.at(ids, offset);
  const around = seen.height * drawnAround;
  const wanted = { first: at(seen.top - around), end: at(bottom + around) + 1 };
  if (window.end <= wanted.first || window.first >= wanted.end) return wanted;
  const first = Math.min(wanted.first, Math.max(window.first, at(seen.top - far)));
  const end = Math.max(wanted.end, Math.min(window.end, at(bottom + far) + 1));
  return first === window.first && end === window.end ? window : { first, end };
}

/** How far the reader may scroll in either direction, in pixels, until rows are rendered in advance; below 0 when they are due. */
export function slackOf(
  seen: SeenPart,
  window: RowWindow,
  rowCount: number,
): { readonly up: number; readonly down: number } {
  const near = seen.height * nearAround.inAdvance;
  const excess = 2 * keptAround * seen.height;
  const above = seen.top - seen.drawnTop;
  const below = seen.drawnBottom - (seen.top + seen.height);
  return {
    up: Math.min(window.first === 0 ? excess : above - near, excess - below),
    down: Math.min(window.end === rowCount ? excess : below - near, excess - above),
  };
}
