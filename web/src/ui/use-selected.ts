import { useCallback, useRef, useSyncExternalStore } from "react";
import type { Observable } from "../../../src/client/base/types.ts";

/**
 * Reads a part of an observable value and renders again only when a field of that part changes. The result is the same
 * object until then.
 */
export function useSelected<Value, Part extends object>(
  observable: Observable<Value>,
  select: (value: Value) => Part,
): Part {
  const kept = useRef<Part | null>(null);
  const subscribe = useCallback((listener: () => void) => observable.subscribe(listener), [observable]);
  const get = (): Part => {
    const part = select(observable.get());
    if (kept.current === null || !sameFields(kept.current, part)) kept.current = part;
    return kept.current;
  };
  return useSyncExternalStore(subscribe, get);
}

function sameFields<Part extends object>(a: Part, b: Part): boolean {
  const names = Object.keys(b) as (keyof Part)[];
  return names.every((name) => Object.is(a[name], b[name]));
}
