import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { NodeId, RootId } from "../../../../src/core/base/ids.ts";
import {
  type RowEnds,
  RowHeights,
  type RowWindow,
  rowsAdded,
  type SeenPart,
  slackOf,
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
  readonly row: HTMLElement;
  readonly id: string;
  readonly top: number;
}

/** Where the list was looked at last, and how far it may be scrolled from there until rows are due. */
interface Look {
  readonly top: number;
  readonly up: number;
  readonly down: number;
  readonly size: ListSize;
}

interface ListSize {
  readonly width: number;
  readonly height: number;
  readonly content: number;
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

  const looked = useRef<Look | null>(null);
  /** Renders the rows that are due at the place that is seen; true where more are due in advance. */
  const draw = (apply: (change: () => void) => void, inAdvance = false): boolean => {
    const element = scroller.current;
    const drawnNow = { first: window.first, end: window.end };
    const seen = element === null ? null : seenPart(element, ids, drawnNow);
    if (element === null || seen === null) return false;
    anchor.current = topRow(element);
    let next = windowFor(seen, drawnNow, { ids, heights, inAdvance });
    if (next !== drawnNow) {
      measure(element, heights);
      next = windowFor(seen, drawnNow, { ids, heights, inAdvance });
    }
    if (next === drawnNow) {
      const { up, down } = slackOf(seen, drawnNow, ids.length);
      looked.current = { top: element.scrollTop, up, down, size: sizeOf(element) };
      return Math.min(up, down) < 0;
    }
    looked.current = null;
    apply(() => setDrawn({ ...next, keptIds: withNeighbours(ids, idsAtWork(element, list.editingId)) }));
    return false;
  };
  const latestDraw = useRef(draw);
  latestDraw.current = draw;
  const drawInAdvance = useIdle(() => latestDraw.current((change) => change(), true));
  /** Renders what the reader has scrolled to before the browser paints it, and what comes next when there is time. */
  const scrolled = (): void => {
    const element = scroller.current;
    const before = anchor.current;
    if (element !== null && before?.row.isConnected === true && isWithin(element, looked.current))
      anchor.current = { ...before, top: before.row.getBoundingClientRect().top };
    else if (draw(flushSync)) drawInAdvance();
  };
  // Rows may have come or gone within what is seen.
  useLayoutEffect(() => {
    looked.current = null;
    latestDraw.current((change) => change());
  }, [ids]);
  return { drawn: { ...window, keptIds }, heights, scrolled };
}

/** Returns a function that has `work` done when the browser has time, once however often it is called until then. */
function useIdle(work: () => void): () => void {
  const cancel = useRef<(() => void) | null>(null);
  const latest = useRef(work);
  latest.current = work;
  useEffect(() => () => cancel.current?.(), []);
  return useCallback(() => {
    cancel.current ??= whenIdle(() => {
      cancel.current = null;
      latest.current();
    });
  }, []);
}

/** Safari has no idle callbacks: there it is done after the frame. */
function whenIdle(work: () => void): () => void {
  if (typeof requestIdleCallback === "function") {
    const asked = requestIdleCallback(work);
    return () => cancelIdleCallback(asked);
  }
  const timer = setTimeout(work);
  return () => clearTimeout(timer);
}

/** Whether no rows are due, as far as can be said without looking at them: content that grows makes none due. */
function isWithin(scroller: HTMLElement, looked: Look | null): boolean {
  if (looked === null) return false;
  const { width, height, content } = sizeOf(scroller);
  const { size } = looked;
  const by = scroller.scrollTop - looked.top;
  const isSame = width === size.width && height === size.height && content >= size.content;
  const most = (slack: number): number =>
    height * Math.min(lookAround.most, Math.max(lookAround.least, slack / height));
  return isSame && by < most(looked.down) && by > -most(looked.up);
}

function sizeOf({ clientWidth, clientHeight, scrollHeight }: HTMLElement): ListSize {
  return { width: clientWidth, height: clientHeight, content: scrollHeight };
}

/** What is seen of the list; null where nothing is rendered. */
function seenPart(scroller: HTMLElement, ids: readonly NodeId[], { first, end }: RowWindow): SeenPart | null {
  const rows = rowElements(scroller);
  if (rows.length === 0) return null;
  const { top, height } = scroller.getBoundingClientRect();
  const begin = scroller.querySelector(rowsAndSpaces)?.getBoundingClientRect().top ?? top;
  const placeOf = (index: number) => rows.find((row) => idOf(row) === ids[index])?.getBoundingClientRect();
  return {
    top: top - begin,
    height,
    drawnTop: (placeOf(first)?.top ?? top) - begin,
    drawnBottom: (placeOf(end - 1)?.bottom ?? top) - begin,
  };
}

/** How far is scrolled before the rows are looked at again, whatever is due. In heights of the visible part. */
const lookAround = { least: 0.15, most: 0.5 };

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
    if (place.bottom > top) return { row, id: idOf(row), top: place.top };
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
