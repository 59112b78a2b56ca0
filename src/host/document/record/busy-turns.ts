/**
 * Shares the event loop among busy documents: after a slice of work a document waits here, and one of them goes on in each
 * iteration of the loop. Between two slices everybody's messages are read, so that a keystroke in a quiet document waits for
 * one slice and not for one of each busy document.
 */
export class BusyTurns {
  readonly #waiting: (() => void)[] = [];
  #isScheduled = false;

  /** Resolves when it is the caller's turn; callers take turns in the order in which they came. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#waiting.shift()?.();
      if (this.#waiting.length > 0) this.#schedule();
    });
  }
}
