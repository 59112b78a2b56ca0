import { type RefObject, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { NodeId, RootId } from "../../../../src/core/base/ids.ts";
import {
  type RowEnds,
  RowHeights,
  type RowWindow,
  rowsAdded,
  windowAfter,
  windowAround,
  windowFor,
} from "./row-window.ts";

/** What the list renders: a window of rows, and rows elsewhere that a person is at work in. */
interface DrawnRows extends RowWindow {
  readonly keptIds: readonly NodeId[];
}

interface ListOfRows {
  readonly rootId: RootId | null;
  readonly ids: readonly NodeId[];
  /** The message that is being edited: its row stays. */
  readonly editingId: NodeId | null;
  /** The row to scroll to; -1 for none. */
  readonly soughtAt: number;
  readonly onFound: () => void;
}

/** A rendered row and where it is on the screen. */
interface Anchor {
  readonly id: string;
  readonly top: number;
}

/**
 * Renders only the rows around the visible part, however long the branch is; the others are empty space of their height.
 * What the reader sees keeps its place while rows above it come, go and turn out to be higher than was thought.
 */
export function useRowWindow(scroller: RefObject<HTMLDivElement | null>, list: ListOfRows) {
  const { rootId, ids, soughtAt, onFound } = list;
  const rowCount = ids.length;
  const firstId = ids[0];
  const lastId = ids.at(-1);
  const heights = useRef(new RowHeights()).current;
  const last = useRef<RowEnds & { readonly rootId: RootId | null }>({ rootId, ...noRows });
  const [drawn, setDrawn] = useState<DrawnRows | null>(null);
  const anchor = useRef<Anchor | null>(null);
  const isOther = last.current.rootId !== rootId;
  const ends = { rowCount, firstId, lastId };
  const window = windowAfter(isOther ? noRows : last.current, ends, isOther ? null : drawn);
  const keptIds = isOther ? noIds : (drawn?.keptIds ?? noIds);
  const added = rowsAdded(last.current, ends);
  useLayoutEffect(() => {
    last.current = { rootId, rowCount, firstId, lastId };
    if (rowCount === 0) return;
    if (drawn === null || drawn.first !== window.first || drawn.end !== window.end || drawn.keptIds !== keptIds)
      setDrawn({ first: window.first, end: window.end, keptIds });
  }, [rootId, rowCount, firstId, lastId, window.first, window.end, drawn, keptIds]);

  const above = heights.between(ids, 0, window.first);
  const lastAbove = useRef(above);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null || isOther) return;
    if (added > 0 || lastAbove.current !== above) holdPlace(element, anchor.current);
    lastAbove.current = above;
    anchor.current = topRow(element);
  }, [scroller, added, above, isOther, window.first, window.end]);
  useLayoutEffect(() => {
    if (soughtAt === -1) return;
    if (soughtAt >= window.first && soughtAt < window.end) onFound();
    else setDrawn({ ...windowAround(soughtAt, ids.length), keptIds: noIds });
  }, [soughtAt, window.first, window.end, ids, onFound]);

  /** Renders what the reader has scrolled to, before the browser paints. */
  const draw = (apply: (change: () => void) => void = flushSync): void => {
    const element = scroller.current;
    const rows = element === null ? [] : rowElements(element);
    if (element === null || rows.length === 0) return;
    anchor.current = topRow(element);
    const { top, height } = element.getBoundingClientRect();
    const begin = element.querySelector(rowsAndSpaces)?.getBoundingClientRect().top ?? top;
    const placeOf = (index: number) => rows.find((row) => idOf(row) === ids[index])?.getBoundingClientRect();
    const seen = {
      top: top - begin,
      height,
      drawnTop: (placeOf(window.first)?.top ?? top) - begin,
      drawnBottom: (placeOf(window.end - 1)?.bottom ?? top) - begin,
    };
    const drawnNow = { first: window.first, end: window.end };
    if (windowFor(seen, drawnNow, { ids, heights }) === drawnNow) return;
    measure(element, heights);
    const next = windowFor(seen, drawnNow, { ids, heights });
    apply(() => setDrawn({ ...next, keptIds: withNeighbours(ids, idsAtWork(element, list.editingId)) }));
  };
  const latestDraw = useRef(draw);
  latestDraw.current = draw;
  // Rows may have come or gone within what is seen.
  useLayoutEffect(() => latestDraw.current((change) => change()), [ids]);
  return { drawn: { ...window, keptIds }, heights, draw };
}

const noRows: RowEnds = { rowCount: 0, firstId: undefined, lastId: undefined };
const noIds: readonly NodeId[] = [];

const rowElement = ":is([data-node-id], [data-row-id])";
const rowsAndSpaces = `:scope > .message-column > :is(${rowElement}, .rows-omitted)`;

/** The id of a row: of its message, or of the first of the messages folded into it. */
function idOf(row: HTMLElement): NodeId {
  return (row.dataset["rowId"] ?? row.dataset["nodeId"] ?? "") as NodeId;
}

function rowElements(scroller: HTMLElement): readonly HTMLElement[] {
  return [...scroller.querySelectorAll<HTMLElement>(`:scope > .message-column > ${rowElement}`)];
}

/** Scrolls by as much as the row at the top of the visible part has moved. */
function holdPlace(scroller: HTMLElement, anchor: Anchor | null): void {
  if (anchor === null) return;
  const row = rowElements(scroller).find((each) => idOf(each) === anchor.id);
  const moved = row === undefined ? 0 : row.getBoundingClientRect().top - anchor.top;
  if (Math.abs(moved) > 0.5) scroller.scrollTop += moved;
}

function topRow(scroller: HTMLElement): Anchor | null {
  const { top } = scroller.getBoundingClientRect();
  for (const row of rowElements(scroller)) {
    const place = row.getBoundingClientRect();
    if (place.bottom > top) return { id: idOf(row), top: place.top };
  }
  return null;
}

/** Notes the heights of the rendered rows, each with the space below it. */
function measure(scroller: HTMLElement, heights: RowHeights): void {
  heights.atWidth(scroller.clientWidth);
  for (const row of rowElements(scroller)) {
    const below = row.nextElementSibling;
    const { top, bottom } = row.getBoundingClientRect();
    const end = below?.getBoundingClientRect().top ?? bottom;
    heights.set(idOf(row), end - top);
  }
}

/** The rows and those beside them, to which the keys lead. */
function withNeighbours(ids: readonly NodeId[], kept: readonly NodeId[]): readonly NodeId[] {
  if (kept.length === 0) return noIds;
  const around = kept.flatMap((id) => {
    const at = ids.indexOf(id);
    return at === -1 ? [] : ids.slice(Math.max(0, at - 1), at + 2);
  });
  return [...new Set(around)];
}

/** The rows in which the focus is, one end of the selected text, or the message that is being edited. */
function idsAtWork(scroller: HTMLElement, editingId: NodeId | null): readonly NodeId[] {
  const selection = getSelection();
  const selected = selection === null || selection.isCollapsed ? [] : [selection.anchorNode, selection.focusNode];
  const edited = editingId === null ? null : scroller.querySelector(`[data-node-id="${CSS.escape(editingId)}"]`);
  const atWork = [document.activeElement, edited, ...selected].filter((node) => node !== null);
  return rowElements(scroller).flatMap((row) => (atWork.some((node) => row.contains(node)) ? idOf(row) : []));
}
