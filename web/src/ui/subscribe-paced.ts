import type { Observable } from "../../../src/client/base/types.ts";

/** Subscribes to an observable and calls back at most once each `intervalMs`; the last change is never left out. */
export function subscribePaced(observable: Observable<unknown>, intervalMs: number, listener: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | null = null;
  let calledAt = Number.NEGATIVE_INFINITY;
  const call = (): void => {
    timer = null;
    calledAt = performance.now();
    listener();
  };
  const stop = observable.subscribe(() => {
    const wait = intervalMs - (performance.now() - calledAt);
    if (wait <= 0 && timer === null) call();
    else timer ??= setTimeout(call, wait);
  });
  return () => {
    stop();
    if (timer !== null) clearTimeout(timer);
  };
}
