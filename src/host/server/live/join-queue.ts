/** The connection that joins. */
export interface JoinReader {
  /** Whether the connection has little left to send. */
  hasRead(): boolean;
  /** A join waits: `check` is to be called whenever `hasRead` may have changed. */
  joinWaits(): void;
  /** No join waits or runs any more: the queue may be let go of. */
  joinsEnded(): void;
}

/** The same for all. */
const nothingBefore: Promise<unknown> = Promise.resolve();

/**
 * Runs the joins of one connection one after another, each when the reader has consumed the snapshot of the previous
 * join: however many joins it asks for, only one snapshot at a time waits in memory.
 */
export class JoinQueue {
  readonly #reader: JoinReader;
  #last: Promise<unknown> = nothingBefore;
  #waiting: (() => void)[] | null = null;

  constructor(reader: JoinReader) {
    this.#reader = reader;
  }

  take<Value>(join: () => Promise<Value>): Promise<Value> {
    const done = this.#last.then(() => this.#read()).then(join);
    const ended = (): void => {
      if (this.#last === last) this.#reader.joinsEnded();
    };
    const last: Promise<void> = done.then(ended, ended);
    this.#last = last;
    return done;
  }

  check(): void {
    if (this.#waiting === null) return;
    if (!this.#reader.hasRead()) return this.#reader.joinWaits();
    const waiting = this.#waiting;
    this.#waiting = null;
    for (const resolve of waiting) resolve();
  }

  #read(): Promise<void> {
    if (this.#reader.hasRead()) return Promise.resolve();
    return new Promise((resolve) => {
      if (this.#waiting === null) this.#reader.joinWaits();
      this.#waiting ??= [];
      this.#waiting.push(resolve);
    });
  }
}
