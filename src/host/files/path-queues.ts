import { caseFolded, type FilePath } from "../../core/base/file-path.ts";
import { SerialQueue } from "../base/serial-queue.ts";

/** One queue for each path in use: a call that opens or creates a file waits for an earlier one on the same path. */
export class PathQueues {
  readonly #queuesByPath = new Map<string, { readonly queue: SerialQueue; jobs: number }>();

  isBusy(path: string): boolean {
    return this.#queuesByPath.has(caseFolded(path));
  }

  /** Runs a job alone at two paths; always in one order, so that two such jobs never wait for each other. */
  runBoth<Value>(one: FilePath, other: FilePath, job: () => Promise<Value>): Promise<Value> {
    const [first, second] = caseFolded(one) < caseFolded(other) ? [one, other] : [other, one];
    if (caseFolded(first) === caseFolded(second)) return this.run(first, job);
    return this.run(first, () => this.run(second, job));
  }

  async run<Value>(path: FilePath, job: () => Promise<Value>): Promise<Value> {
    const key = caseFolded(path);
    const entry = this.#queuesByPath.get(key) ?? { queue: new SerialQueue(), jobs: 0 };
    this.#queuesByPath.set(key, entry);
    entry.jobs += 1;
    try {
      return await entry.queue.run(job);
    } finally {
      entry.jobs -= 1;
      if (entry.jobs === 0) this.#queuesByPath.delete(key);
    }
  }
}
