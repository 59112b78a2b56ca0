import { type Dispatch, useEffect, useRef } from "react";
import type { NavigationAction } from "./navigation.ts";
import { entryStep, type PageEntry, readEntry, type TopEntry } from "./page-entry.ts";

/** Has the browser's Back and Forward move between what the page has shown; null while that is not settled. */
export function usePageHistory(now: PageEntry | null, dispatch: Dispatch<NavigationAction>): void {
  const latest = useRef(now);
  latest.current = now;
  const top = useRef<TopEntry | null>(null);
  /** Whether the page itself went back: nobody asked to see the entry before. */
  const isOwnStep = useRef(false);
  const follow = useRef(() => {
    const entry = latest.current;
    if (entry === null || isOwnStep.current) return;
    const step = entryStep(top.current, entry);
    if (step === "none") return;
    if (step === "back") {
      isOwnStep.current = true;
      return history.back();
    }
    const isFirst = step === "replace" && ((top.current ?? readEntry(history.state))?.isFirst ?? true);
    top.current = { ...entry, isFirst };
    if (step === "push") history.pushState(top.current, "");
    else history.replaceState(top.current, "");
  });
  useEffect(() => {
    const onPop = ({ state }: PopStateEvent): void => {
      const entry = readEntry(state);
      const isOwn = isOwnStep.current;
      isOwnStep.current = false;
      if (entry === undefined) return;
      top.current = entry;
      if (isOwn) follow.current();
      else dispatch({ type: "entry-returned", entry });
    };
    window.addEventListener("popstate", onPop);
    return () => window.removeEventListener("popstate", onPop);
  }, [dispatch]);
  const { rootId, canvasId, dialog, front } = now ?? noEntry;
  const isSettled = now !== null;
  useEffect(() => follow.current(), [isSettled, rootId, canvasId, dialog, front]);
}

const noEntry: PageEntry = { rootId: null, canvasId: null, dialog: "none", front: null };
