import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { RootId } from "../../../../src/core/base/ids.ts";

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

/**
 * Returns the number of rows omitted at the beginning. Rendered rows stay while the conversation grows, so that nothing
 * above the reader disappears; earlier rows are added when the reader requests them or seeks a message there.
 */
export function useEarlier(
  scroller: RefObject<HTMLDivElement | null>,
  list: {
    readonly rootId: RootId | null;
    readonly rowCount: number;
    /** The row to scroll to; -1 for none. */
    readonly soughtAt: number;
    readonly onFound: () => void;
  },
) {
  const { rootId, rowCount, soughtAt, onFound } = list;
  const [first, setFirst] = useState<number | null>(null);
  useEffect(() => setFirst(null), [rootId]);
  const lastCount = useRef(0);
  const hiddenCount = hiddenRows({ rowCount, lastCount: lastCount.current, first });
  useLayoutEffect(() => {
    lastCount.current = rowCount;
    if (rowCount > 0) setFirst(hiddenCount);
  }, [rowCount, hiddenCount]);

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
    const element = scroller.current;
    if (element !== null) toEnd.current = element.scrollHeight - element.scrollTop;
    setFirst(Math.max(0, hiddenCount - rowsAtOnce));
  };
  return { hiddenCount, showMore };
}
