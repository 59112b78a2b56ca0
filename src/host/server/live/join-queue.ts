/** The connection that joins. */
export interface JoinReader {
  /** Whether the connection has little left to send. */
  hasRead(): boolean;
}

/**
 * Runs the joins of one connection one after another, each when the reader has consumed the snapshot of the previous
 * join: however many joins it asks for, only one snapshot at a time waits in memory.
 */
export class JoinQueue {
  readonly #reader: JoinReader;
  /** null: no join waits or runs. */
  #last: Promise<unknown> | null = null;
  #waiting: (() => void)[] | null = null;

  /** Call `check` whenever `hasRead` may have changed. */
  constructor(reader: JoinReader) {
    this.#reader = reader;
  }

  take<Value>(join: () => Promise<Value>): Promise<Value> {
    const done = (this.#last ?? Promise.resolve()).then(() => this.#read()).then(join);
    const last = done.then(
      () => this.#ended(last),
      () => this.#ended(last),
    );
    this.#last = last;
    return done;
  }

  check(): void {
    if (this.#waiting === null || !this.#reader.hasRead()) return;
    const waiting = this.#waiting;
    this.#waiting = null;
    for (const resolve of waiting) resolve();
  }

  #ended(join: Promise<unknown>): void {
    if (this.#last === join) this.#last = null;
  }

  #read(): Promise<void> {
    if (this.#reader.hasRead()) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting ??= [];
      this.#waiting.push(resolve);
    });
  }
}
