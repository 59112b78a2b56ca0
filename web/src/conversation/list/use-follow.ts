import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { RootId } from "../../../../src/core/base/ids.ts";
import { useMedia } from "../../ui/use-observable.ts";
import { followsEnd, isAtEnd, type Scroll } from "../../view/words/follow-end.ts";

/** Keeps the end in view while the reader is at the end, and never scrolls otherwise. */
export function useFollow(list: {
  readonly rootId: RootId | null;
  readonly sending: string | null;
  /** A value that changes with every write. */
  readonly changed: string;
  /** Whether the messages are rendered. */
  readonly ready: boolean;
}) {
  const { rootId, sending, changed, ready } = list;
  const scroller = useRef<HTMLDivElement>(null);
  const [atEnd, setAtEnd] = useState(true);
  const follows = useRef(true);
  const last = useRef<Scroll>({ top: 0, height: 0, content: 0 });
  const still = useMedia("(prefers-reduced-motion: reduce)");
  /** Notes the present position; and whether the end is followed from there. */
  const note = useCallback((element: HTMLElement): Scroll => {
    const now = scrollOf(element);
    follows.current = followsEnd(follows.current, last.current, now);
    last.current = now;
    return now;
  }, []);
  const look = useCallback((): void => {
    if (scroller.current !== null) setAtEnd(isAtEnd(note(scroller.current)));
  }, [note]);
  const settle = useCallback((): void => {
    const element = scroller.current;
    if (element === null) return;
    const now = note(element);
    if (follows.current && now.top + now.height < now.content) {
      element.scrollTop = now.content;
      last.current = scrollOf(element);
    }
    // Set once: what grew is at the end again, and the list need not render for it.
    setAtEnd(follows.current || isAtEnd(now));
  }, [note]);
  // Sending a message or opening a conversation scrolls to the end.
  useLayoutEffect(() => {
    follows.current = true;
  }, [rootId]);
  useLayoutEffect(() => {
    if (sending !== null) follows.current = true;
  }, [sending]);
  useLayoutEffect(settle, [settle, changed, sending, rootId]);
  useEffect(() => {
    const element = scroller.current;
    const column = element?.firstElementChild;
    if (element === null) return undefined;
    const observer = new ResizeObserver((sizes) => {
      // Content that grows because the reader opened it keeps its position. Resizing the window is not such a change.
      const framed = sizes.some(({ target }) => target === element);
      const opened = !framed && column?.contains(document.activeElement) === true;
      if (opened) {
        follows.current = isAtEnd(scrollOf(element));
        look();
      } else settle();
    });
    observer.observe(element);
    if (column instanceof Element) observer.observe(column);
    return () => observer.disconnect();
  }, [look, settle, ready]);
  const toEnd = (): void => {
    const element = scroller.current;
    element?.scrollTo({ top: element.scrollHeight, behavior: still ? "auto" : "smooth" });
  };
  return { scroller, atEnd, onScroll: look, settle, toEnd };
}

function scrollOf(element: HTMLElement): Scroll {
  return { top: element.scrollTop, height: element.clientHeight, content: element.scrollHeight };
}
