import { type Dispatch, useEffect, useState } from "react";
import type { NavigationAction } from "./navigation.ts";
import type { PageEntry } from "./page-entry.ts";
import { PageHistory } from "./page-history.ts";

/** Has the browser's Back and Forward move between what the page has shown; null while that is not settled. */
export function usePageHistory(now: PageEntry | null, dispatch: Dispatch<NavigationAction>): void {
  const [page] = useState(
    () => new PageHistory(window.history, (entry) => dispatch({ type: "entry-returned", entry })),
  );
  useEffect(() => {
    const onPop = ({ state }: PopStateEvent): void => page.popped(state);
    window.addEventListener("popstate", onPop);
    return () => window.removeEventListener("popstate", onPop);
  }, [page]);
  // An entry that is the same changes nothing.
  useEffect(() => page.shows(now));
}
