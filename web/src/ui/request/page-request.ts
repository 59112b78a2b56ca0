import { useEffect, useRef } from "react";

/** What one part of the page asks of another that may be there, may come, or may not know the thing asked for. */
export interface PageRequest<Value> {
  /** Returns whether a part of the page does it. */
  readonly ask: (value: Value) => boolean;
  /** Asks once a frame, for about two seconds, until a part does it: what is asked for is being opened. */
  readonly askSoon: (value: Value) => void;
  /** Does what is asked for as long as the component is shown; returns whether it could. */
  readonly useAsked: (act: (value: Value) => boolean) => void;
}

const looksMax = 120;

export function pageRequest<Value>(): PageRequest<Value> {
  const listeners = new Set<(value: Value) => boolean>();
  const ask = (value: Value): boolean => [...listeners].some((act) => act(value));
  return {
    ask,
    askSoon(value) {
      let looks = 0;
      const look = (): void => {
        looks += 1;
        if (!ask(value) && looks < looksMax) requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    },
    useAsked(act) {
      const latest = useRef(act);
      latest.current = act;
      useEffect(() => {
        const listener = (value: Value): boolean => latest.current(value);
        listeners.add(listener);
        return () => {
          listeners.delete(listener);
        };
      }, []);
    },
  };
}
