import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { Observable } from "../../../src/client/base/types.ts";
import { subscribePaced } from "./paced/subscribe-paced.ts";

/** Shows an observable value and draws again when it changes. */
export function useObservable<Value>(observable: Observable<Value>): Value {
  const subscribe = useCallback((listener: () => void) => observable.subscribe(listener), [observable]);
  const get = useCallback(() => observable.get(), [observable]);
  return useSyncExternalStore(subscribe, get);
}

/** Reads an observable and renders at most once each `intervalMs`. */
export function usePacedObservable<Value>(observable: Observable<Value>, intervalMs: number): Value {
  const subscribe = useCallback(
    (listener: () => void) => subscribePaced(observable, intervalMs, listener),
    [observable, intervalMs],
  );
  const get = useCallback(() => observable.get(), [observable]);
  return useSyncExternalStore(subscribe, get);
}

/** Returns the time in UTC milliseconds, updated each `intervalMs`; constant for null. */
export function useNow(intervalMs: number | null): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (intervalMs === null) return undefined;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs]);
  return intervalMs === null ? Date.now() : now;
}

/** Whether a media query holds now. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const media = matchMedia(query);
      media.addEventListener("change", listener);
      return () => media.removeEventListener("change", listener);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}

/** Returns the previous value while the new one is equal, so that equal values cause no render. */
export function useSteady<Value>(value: Value, same: (a: Value, b: Value) => boolean): Value {
  const kept = useRef(value);
  if (kept.current !== value && !same(kept.current, value)) kept.current = value;
  return kept.current;
}
