/** Runs jobs one after another, in the order given; a failed job does not stop the next. */
export class SerialQueue {
  #tail: Promise<unknown> = Promise.resolve();

  run<Value>(job: () => Promise<Value>): Promise<Value> {
    const done = this.#tail.then(job);
    this.#tail = done.catch(() => undefined);
    return done;
  }

  /** Resolves when every job queued so far has ended. */
  async drained(): Promise<void> {
    await this.#tail;
  }
}
