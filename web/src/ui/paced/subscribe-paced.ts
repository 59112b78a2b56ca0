import type { Observable } from "../../../../src/client/base/types.ts";
import { afterKeys } from "./after-keys.ts";

/** How much longer than the work for a change itself the pause before the next one is: where work is slow, less of it is done. */
const pausePerWork = 16;
/** The longest pause that slow work makes, and the longest that a person who types makes. Milliseconds. */
const pauseMax = 250;

/** Returns how long to wait before work like this is done again, at least `intervalMs` and at most `waitMsMax`. Milliseconds. */
export function pauseAfter(workMs: number, intervalMs: number, waitMsMax: number): number {
  return Math.max(intervalMs, Math.min(waitMsMax, pausePerWork * workMs));
}

/**
 * Subscribes to an observable and calls back at most once each `intervalMs`; the last change is never left out. On a slow machine,
 * or for much to render, it calls back less often, and while a person types between their keys: keys and scrolling are served first.
 */
export function subscribePaced(observable: Observable<unknown>, intervalMs: number, listener: () => void): () => void {
  /** Cancels the call that is to come; null: none is. */
  let cancel: (() => void) | null = null;
  let calledAt = Number.NEGATIVE_INFINITY;
  let pause = intervalMs;
  const call = (): void => {
    cancel = null;
    const begun = performance.now();
    calledAt = begun;
    listener();
    // After React, which renders what the listener changed in a microtask of its own.
    queueMicrotask(() => {
      pause = pauseAfter(performance.now() - begun, intervalMs, pauseMax);
    });
  };
  const due = (): void => {
    const waiting = afterKeys(call, pauseMax);
    if (waiting !== null) cancel = waiting;
  };
  const stop = observable.subscribe(() => {
    if (cancel !== null) return;
    const wait = pause - (performance.now() - calledAt);
    if (wait <= 0) return due();
    const timer = setTimeout(due, wait);
    cancel = () => clearTimeout(timer);
  });
  return () => {
    stop();
    cancel?.();
  };
}
