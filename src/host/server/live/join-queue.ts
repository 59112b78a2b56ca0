/**
 * Lets the joins of one connection happen one after the other, each when the reader has taken what the last one brought:
 * however much it asks for at once, one snapshot at a time waits here for it.
 */
export class JoinQueue {
  readonly #isRead: () => boolean;
  #last: Promise<unknown> = Promise.resolve();
  #waiting: (() => void)[] = [];

  /** `isRead` says whether the connection has little left to send; whenever that may have changed, call `check`. */
  constructor(isRead: () => boolean) {
    this.#isRead = isRead;
  }

  take<Value>(join: () => Promise<Value>): Promise<Value> {
    const done = this.#last.then(() => this.#read()).then(join);
    this.#last = done.catch(() => null);
    return done;
  }

  check(): void {
    if (this.#waiting.length === 0 || !this.#isRead()) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #read(): Promise<void> {
    return this.#isRead() ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve));
  }
}
