import { useEffect, useRef } from "react";

const listeners = new Set<() => void>();

/** Somebody wants to see what is suggested, from wherever they are on the page. */
export function askForReview(): void {
  for (const listener of listeners) listener();
}

/** Does what asking for a review asks for. */
export function useReviewAsked(act: () => void): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    const listener = (): void => latest.current();
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, []);
}
