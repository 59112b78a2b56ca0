import type { Observable } from "../../../src/client/base/types.ts";

/** How much longer than the work for a change itself the pause before the next one is: where work is slow, less of it is done. */
const pausePerWork = 16;
/** The longest pause that slow work makes. Milliseconds. */
const pauseMax = 250;

/**
 * Subscribes to an observable and calls back at most once each `intervalMs`; the last change is never left out. On a slow machine,
 * or for much to render, it calls back less often, so that keys and scrolling are served in between.
 */
export function subscribePaced(observable: Observable<unknown>, intervalMs: number, listener: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | null = null;
  let calledAt = Number.NEGATIVE_INFINITY;
  let pause = intervalMs;
  const call = (): void => {
    timer = null;
    const begun = performance.now();
    calledAt = begun;
    listener();
    // After React, which renders what the listener changed in a microtask of its own.
    queueMicrotask(() => {
      pause = Math.max(intervalMs, Math.min(pauseMax, pausePerWork * (performance.now() - begun)));
    });
  };
  const stop = observable.subscribe(() => {
    const wait = pause - (performance.now() - calledAt);
    if (wait <= 0 && timer === null) call();
    else timer ??= setTimeout(call, wait);
  });
  return () => {
    stop();
    if (timer !== null) clearTimeout(timer);
  };
}
