import type { ModelFailure } from "../../../core/model/failure.ts";
import type { Clock } from "../../../core/port/platform.ts";
import { cancelledFailure, networkFailure } from "./errors.ts";

/** Ends a wait when the caller aborts or the other side is silent for too long. */
export interface Watch {
  readonly signal: AbortSignal;
  /** Restarts the timer for the next piece. */
  expect(delayMs: number, message: string): void;
  /** Settles as the promise does, or rejects when waiting ends. */
  race<Value>(promise: Promise<Value>): Promise<Value>;
  /** Calls back when waiting ends, at once where it has; one callback at a time. */
  onEnd(leave: () => void): void;
  /** Calls back after a time, also when the watch is closed; returns a function that stops it. */
  later(delayMs: number, callback: () => void): () => void;
  /** The reason why waiting ended; undefined while it has not. */
  failure(): ModelFailure | undefined;
  /** Notes that the answer was read to its end, so that closing need not end its connection. */
  whole(): void;
  close(): void;
}

/** Made once: an abort without a reason makes an exception with a stack each time. */
const left = new Error("Nobody reads this reply any more.");

/** Watches one exchange of a caller with a provider. */
export function createWatch(clock: Clock, caller: AbortSignal): Watch {
  const controller = new AbortController();
  let failure: ModelFailure | undefined;
  let isWhole = false;
  let cancelTimer: (() => void) | null = null;
  /** When the timer under way ends; a later deadline lets it end and be set again, so that a piece sets none. */
  let timerAt = 0;
  let deadline = { at: 0, message: "" };
  /** Ends the current wait. */
  let giveUp = (): void => undefined;
  const end = (why: ModelFailure): void => {
    if (failure !== undefined) return;
    failure = why;
    giveUp();
    controller.abort(new Error(why.message));
  };
  const setTimer = (): void => {
    timerAt = deadline.at;
    cancelTimer = clock.setTimer(Math.max(0, timerAt - clock.monotonic()), () => {
      if (clock.monotonic() >= deadline.at) end(networkFailure(deadline.message));
      else setTimer();
    });
  };
  const onAbort = (): void => end(cancelledFailure);
  if (caller.aborted) onAbort();
  else caller.addEventListener("abort", onAbort, { once: true });
  return {
    signal: controller.signal,
    expect(delayMs, message) {
      deadline = { at: clock.monotonic() + delayMs, message };
      if (cancelTimer !== null && timerAt <= deadline.at) return;
      cancelTimer?.();
      setTimer();
    },
    race: (promise) =>
      new Promise((resolve, reject) => {
        giveUp = () => reject(new Error(failure?.message));
        // The losing promise may still reject; this handles it.
        promise.then(resolve, reject);
        if (failure !== undefined) giveUp();
      }),
    onEnd(leave) {
      giveUp = leave;
      if (failure !== undefined) leave();
    },
    later: (delayMs, callback) => clock.setTimer(delayMs, callback),
    failure: () => failure,
    whole: () => void (isWhole = true),
    close() {
      cancelTimer?.();
      caller.removeEventListener("abort", onAbort);
      // The consumer may have stopped reading in the middle of the reply.
      if (!isWhole) controller.abort(left);
    },
  };
}
