import { useCallback, useSyncExternalStore } from "react";

/** Returns how much of the page's foot the keyboard of a phone covers, where the browser does not make the page smaller. CSS pixels. */
export function useKeyboardInset(): number {
  const subscribe = useCallback((listener: () => void) => {
    const { visualViewport } = window;
    visualViewport?.addEventListener("resize", listener);
    visualViewport?.addEventListener("scroll", listener);
    return () => {
      visualViewport?.removeEventListener("resize", listener);
      visualViewport?.removeEventListener("scroll", listener);
    };
  }, []);
  return useSyncExternalStore(subscribe, coveredFoot);
}

function coveredFoot(): number {
  const { visualViewport } = window;
  if (visualViewport === null) return 0;
  // A page that is zoomed in shows a part of itself too, and no keyboard.
  if (visualViewport.scale > 1.01) return 0;
  return Math.max(0, Math.round(window.innerHeight - visualViewport.height - visualViewport.offsetTop));
}
