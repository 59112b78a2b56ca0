import type { ReactNode, RefObject } from "react";
import { useWindow } from "./use-window.ts";
import type { GrowingList } from "./use-list.ts";

/** Height of a row in pixels, equal to the style sheet's. */
const rowHeight = 30;

/** A long list in a scrolling element: renders the visible rows and fetches more as they are scrolled to. */
export function RowList<Entry extends { readonly id: string }>(props: {
  readonly scroller: RefObject<HTMLElement | null>;
  readonly list: GrowingList<Entry>;
  readonly children: (entry: Entry) => ReactNode;
}) {
  const { entries, total, need } = props.list;
  const { from, to } = useWindow(props.scroller, total, rowHeight, need);
  return (
    <ul className="row-list" style={{ blockSize: total * rowHeight }}>
      {entries.slice(from, to).map((entry, offset) => (
        <li
          key={entry.id}
          aria-posinset={from + offset + 1}
          aria-setsize={total}
          style={{ transform: `translateY(${(from + offset) * rowHeight}px)` }}
        >
          {props.children(entry)}
        </li>
      ))}
    </ul>
  );
}
