import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { RootId } from "../../../../src/core/base/ids.ts";

/** How many rows are drawn at first, and how many more each time the reader goes up. */
const rowsAtOnce = 60;

/**
 * How many rows at the beginning are left out now. `lastCount` is how many there were when rows were last drawn, `first`
 * the first one that was. Another, much longer branch is drawn from its own end, at once: drawing all of it before that
 * would take seconds.
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
 * Says how many rows at the beginning are not drawn. What is drawn stays while the conversation grows, so that nothing
 * above the reader goes; more comes when the reader asks for it, or seeks a message there.
 */
export function useEarlier(
  scroller: RefObject<HTMLDivElement | null>,
  list: {
    readonly rootId: RootId | null;
    readonly rowCount: number;
    /** The row that is to come into view; -1 seeks none. */
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
