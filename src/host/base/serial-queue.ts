/** Runs jobs one after another, in the order given; a failed job does not stop the next. */
export class SerialQueue {
  #tail: Promise<unknown> = Promise.resolve();
  #jobs = 0;

  /** Whether no job waits or runs. */
  get isEmpty(): boolean {
    return this.#jobs === 0;
  }

  run<Value>(job: () => Promise<Value>): Promise<Value> {
    this.#jobs += 1;
    const ended = (): void => {
      this.#jobs -= 1;
    };
    const done = this.#tail.then(job);
    this.#tail = done.then(ended, ended);
    return done;
  }

  /** Resolves when every job queued so far has ended. */
  async drained(): Promise<void> {
    await this.#tail;
  }
}
