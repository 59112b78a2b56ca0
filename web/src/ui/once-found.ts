import type { Observable } from "../../../src/client/base/types.ts";

/** Calls back once, as soon as there is what is sought in an observable value. */
export function onceFound<Value, Sought>(
  observable: Observable<Value>,
  find: (value: Value) => Sought | undefined,
  found: (sought: Sought) => void,
): void {
  let isOver = false;
  const look = (): void => {
    const sought = find(observable.get());
    if (isOver || sought === undefined) return;
    isOver = true;
    // To subscribe may bring the value up to date, and so call before it has returned.
    queueMicrotask(() => stop());
    found(sought);
  };
  const stop = observable.subscribe(look);
  look();
}
