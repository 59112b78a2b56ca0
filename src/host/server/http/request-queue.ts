/**
 * Begins at most one request in each iteration of the event loop: what people type arrives in between, however many requests
 * programs send at once.
 */
export class RequestQueue {
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  /** Resolves when the request may begin; the first of an iteration begins at once. */
  next(): Promise<void> {
    if (this.#isTaken) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#isTaken = true;
    setImmediate(() => this.#iterate());
    return Promise.resolve();
  }

  #iterate(): void {
    const begin = this.#waiting.shift();
    if (begin === undefined) {
      this.#isTaken = false;
      return;
    }
    begin();
    setImmediate(() => this.#iterate());
  }
}
