import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { RootId } from "../../../src/core/base/ids.ts";

/** How many rows are drawn at first, and how many more each time the reader goes up. */
const rowsAtOnce = 60;

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
  const latest = Math.max(0, rowCount - rowsAtOnce);
  const hiddenCount = Math.min(first ?? latest, latest);
  const lastCount = useRef(0);
  useLayoutEffect(() => {
    // Another, much longer branch is drawn from its own end.
    const isOther = rowCount > lastCount.current + rowsAtOnce;
    lastCount.current = rowCount;
    if (rowCount > 0) setFirst(isOther ? latest : hiddenCount);
  }, [rowCount, latest, hiddenCount]);

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
