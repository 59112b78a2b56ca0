import type { ReadName } from "./reads.ts";
import type { RowWrite } from "./row-write.ts";
import type { Row } from "../row/sql.ts";
import { StorageThread, type ThreadWatch } from "./storage-thread.ts";
import { StoreClosedError } from "../shared/store-error.ts";
import type { CommitRefusal } from "./wire.ts";

/** Queries that scan all texts or a whole forest, run in a second thread so that no commit waits for them. */
const slow: ReadonlySet<ReadName> = new Set(["searchMessages", "searchBlocks", "outline", "outlineOfAll", "subtree"]);

/** The writing thread, and from the first slow query on, a second thread for slow queries. */
export class Threads {
  readonly #file: string;
  readonly #watch: ThreadWatch;
  readonly #writing: StorageThread;
  #reading: Promise<StorageThread> | null = null;
  #closed = false;

  static async open(file: string, watch: ThreadWatch): Promise<Threads> {
    return new Threads(file, await StorageThread.open({ file, writes: true }, watch), watch);
  }

  private constructor(file: string, writing: StorageThread, watch: ThreadWatch) {
    this.#file = file;
    this.#writing = writing;
    this.#watch = watch;
  }

  async commit(writes: readonly RowWrite[]): Promise<CommitRefusal | null> {
    if (this.#closed) throw new StoreClosedError("the store is closed");
    return this.#writing.commit(writes);
  }

  /** Sees every commit that has resolved: the reading thread's transaction begins after it. */
  async read(query: ReadName, values: Row): Promise<readonly Row[]> {
    if (this.#closed) throw new StoreClosedError("the store is closed");
    const thread = slow.has(query) ? await this.#startedReading() : this.#writing;
    return thread.read(query, values);
  }

  /** Closes the writing thread last, since it removes the write-ahead log. */
  async close(): Promise<void> {
    this.#closed = true;
    await (await this.#reading?.catch(() => null))?.close();
    await this.#writing.close();
  }

  async #startedReading(): Promise<StorageThread> {
    this.#reading ??= StorageThread.open({ file: this.#file, writes: false }, this.#watch);
    try {
      return await this.#reading;
    } catch (problem) {
      // The next query tries again.
      this.#reading = null;
      throw problem;
    }
  }
}
