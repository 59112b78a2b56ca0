import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { NodeId, RootId } from "../../../../src/core/base/ids.ts";

/** Number of rows rendered at first, and added each time the reader scrolls up. */
const rowsAtOnce = 60;

/**
 * Returns the number of rows to omit at the beginning. `lastCount` is the number of rows at the last render, `first` the
 * first rendered one. A much longer branch is rendered from its own end, because rendering all of it would take seconds.
 */
export function hiddenRows(list: {
  readonly rowCount: number;
  readonly lastCount: number;
  readonly first: number | null;
}): number {
  const latest = Math.max(0, list.rowCount - rowsAtOnce);
  const isOther = list.rowCount > list.lastCount + rowsAtOnce;
  return isOther ? latest : Math.min(list.first ?? latest, latest);
}

/** What tells how a list of rows has changed. */
interface RowEnds {
  readonly rowCount: number;
  readonly firstId: NodeId | undefined;
  readonly lastId: NodeId | undefined;
}

/** Returns how many rows were added at the beginning: the end stayed, and the beginning is another. */
export function rowsAdded(before: RowEnds, now: RowEnds): number {
  const grewAbove = before.lastId !== undefined && before.lastId === now.lastId && before.firstId !== now.firstId;
  return grewAbove ? Math.max(0, now.rowCount - before.rowCount) : 0;
}

/**
 * Returns the number of rows omitted at the beginning. Rendered rows stay while the conversation grows, so that nothing
 * above the reader disappears; earlier rows are added when the reader requests them or seeks a message there.
 */
export function useEarlier(
  scroller: RefObject<HTMLDivElement | null>,
  list: {
    readonly rootId: RootId | null;
    readonly rowCount: number;
    /** Identify the first and the last row, so that rows that were loaded above are told from others. */
    readonly firstId: NodeId | undefined;
    readonly lastId: NodeId | undefined;
    /** The row to scroll to; -1 for none. */
    readonly soughtAt: number;
    readonly onFound: () => void;
    /** How many messages above the first row are not here, and how they are loaded. */
    readonly above: number;
    readonly loadAbove: () => void;
  },
) {
  const { rootId, rowCount, firstId, lastId, soughtAt, onFound } = list;
  const [first, setFirst] = useState<number | null>(null);
  useEffect(() => setFirst(null), [rootId]);
  const last = useRef<RowEnds>({ rowCount: 0, firstId: undefined, lastId: undefined });
  const added = rowsAdded(last.current, { rowCount, firstId, lastId });
  const hiddenCount = hiddenRows({
    rowCount,
    lastCount: last.current.rowCount + added,
    first: first === null ? null : first + added,
  });
  const wantsMore = useRef(false);
  useLayoutEffect(() => {
    last.current = { rowCount, firstId, lastId };
    if (rowCount > 0) setFirst(hiddenCount);
  }, [rowCount, firstId, lastId, hiddenCount]);

  const toEnd = useRef<number | null>(null);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null || toEnd.current === null) return;
    element.scrollTop = element.scrollHeight - toEnd.current;
    toEnd.current = null;
  }, [scroller, hiddenCount]);
  useLayoutEffect(() => {
    if (soughtAt === -1) return;
    if (soughtAt < hiddenCount) setFirst(soughtAt);
    else onFound();
  }, [soughtAt, hiddenCount, onFound]);
  const showMore = (): void => {
    if (hiddenCount === 0) {
      wantsMore.current = list.above > 0;
      if (list.above > 0) list.loadAbove();
      return;
    }
    const element = scroller.current;
    if (element !== null) toEnd.current = element.scrollHeight - element.scrollTop;
    setFirst(Math.max(0, hiddenCount - rowsAtOnce));
  };
  const latestShowMore = useRef(showMore);
  latestShowMore.current = showMore;
  useLayoutEffect(() => {
    if (!wantsMore.current || hiddenCount === 0) return;
    wantsMore.current = false;
    latestShowMore.current();
  }, [hiddenCount]);
  return { hiddenCount, showMore };
}
