/**
 * Runs the joins of one connection one after another, each when the reader has consumed the snapshot of the previous
 * join: however many joins it asks for, only one snapshot at a time waits in memory.
 */
export class JoinQueue {
  readonly #isRead: () => boolean;
  #last: Promise<unknown> = Promise.resolve();
  #waiting: (() => void)[] = [];

  /** `isRead` returns whether the connection has little left to send; call `check` whenever that may have changed. */
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
