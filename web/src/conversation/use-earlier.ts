import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { RootId } from "../../../src/core/base/ids.ts";

/** How many rows are drawn at first, and how many more each time the reader goes up. */
const rowsAtOnce = 60;

/** Draws more of what is above, and keeps the reader's place or goes to the message that is sought. */
export function useEarlier(
  scroller: RefObject<HTMLDivElement | null>,
  rootId: RootId | null,
  seek: { readonly rowCount: number; readonly soughtAt: number; readonly onFound: () => void },
) {
  const [drawn, setDrawn] = useState(rowsAtOnce);
  useEffect(() => setDrawn(rowsAtOnce), [rootId]);
  const toEnd = useRef<number | null>(null);
  const { rowCount, soughtAt, onFound } = seek;
  const needed = soughtAt === -1 ? 0 : rowCount - soughtAt;
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null || toEnd.current === null) return;
    element.scrollTop = element.scrollHeight - toEnd.current;
    toEnd.current = null;
  }, [scroller, drawn]);
  useLayoutEffect(() => {
    if (soughtAt === -1) return;
    if (needed > drawn) return setDrawn(needed);
    onFound();
  }, [soughtAt, needed, drawn, onFound]);
  const showMore = (): void => {
    const element = scroller.current;
    if (element !== null) toEnd.current = element.scrollHeight - element.scrollTop;
    setDrawn(drawn + rowsAtOnce);
  };
  return { drawn, showMore };
}
