import { type RefObject, useEffect, useLayoutEffect, useState } from "react";

/** Maximum number of rows rendered whole; of a longer list only the visible rows are. */
const drawnMax = 200;
/** Rows rendered beyond each end of what is visible. */
const margin = 20;

/** A range of rows: from `from` up to, not including, `to`. */
export interface RowWindow {
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the range of visible rows of a scrolling element, with a margin at both ends. `rowHeight` is in pixels; `need` is
 * called with the number of rows that must be there.
 */
export function useWindow(
  scroller: RefObject<HTMLElement | null>,
  count: number,
  rowHeight: number,
  need: (rows: number) => void,
): RowWindow {
  const [view, setView] = useState({ top: 0, height: 600 });
  const all = count <= drawnMax;
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element !== null) setView({ top: element.scrollTop, height: element.clientHeight });
  }, [scroller, all]);
  useEffect(() => {
    const element = scroller.current;
    if (element === null || all) return undefined;
    const note = (): void => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(note);
    observer.observe(element);
    element.addEventListener("scroll", note, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", note);
    };
  }, [scroller, all]);
  const from = all ? 0 : Math.max(0, Math.floor(view.top / rowHeight) - margin);
  const to = all ? count : Math.min(count, Math.ceil((view.top + view.height) / rowHeight) + margin);
  useEffect(() => need(to), [need, to]);
  return { from, to };
}
