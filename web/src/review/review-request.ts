import { useEffect, useRef } from "react";

const listeners = new Set<() => void>();

/** Requests the review panel, from any part of the page. */
export function askForReview(): void {
  for (const listener of listeners) listener();
}

/** Runs `act` when the review panel is requested. */
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
