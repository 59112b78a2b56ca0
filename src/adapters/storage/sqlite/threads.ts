import type { ReadName } from "./reads.ts";
import type { RowWrite } from "./row-write.ts";
import type { Row } from "../row/sql.ts";
import { StorageThread, type ThreadWatch } from "./storage-thread.ts";
import { StoreClosedError } from "../shared/store-error.ts";
import type { CommitRefusal } from "./wire.ts";

type ReadingName = "reading" | "searching";

/**
 * Queries whose answer may be long, by the thread that answers them, so that no commit waits for them: what one
 * conversation holds, the history of a text, and what scans all texts or all conversations.
 */
const threadsByQuery: Readonly<Partial<Record<ReadName, ReadingName>>> = {
  path: "reading",
  nodes: "reading",
  nodesOf: "reading",
  paidNodes: "reading",
  children: "reading",
  childrenBefore: "reading",
  childCounts: "reading",
  leafBelow: "reading",
  subtree: "reading",
  snapshot: "reading",
  outline: "reading",
  indexedTexts: "searching",
  searchMessages: "searching",
  searchBlocks: "searching",
  outlineOfAll: "searching",
};

/** The writing thread, and threads for slow queries, each from the first of its queries on. */
export class Threads {
  readonly #file: string;
  readonly #watch: ThreadWatch;
  readonly #writing: StorageThread;
  readonly #readingByName = new Map<ReadingName, Promise<StorageThread>>();
  #isReading = false;
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

  /** Sees every commit that has resolved: a reading thread's transaction begins after it. */
  async read(query: ReadName, values: Row): Promise<readonly Row[]> {
    if (this.#closed) throw new StoreClosedError("the store is closed");
    const name = threadsByQuery[query];
    const thread = name === undefined ? this.#writing : await this.#threadFor(name);
    return thread.read(query, values);
  }

  /** Closes the writing thread last, since it removes the write-ahead log. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(
      [...this.#readingByName.values()].map(async (reading) => (await reading.catch(() => null))?.close()),
    );
    await this.#writing.close();
  }

  /** Nobody waits for the reading thread to start: until then, the writing thread answers. */
  #threadFor(name: ReadingName): Promise<StorageThread> | StorageThread {
    const known = this.#readingByName.has(name);
    const started = this.#started(name);
    if (name === "searching" || this.#isReading) return started;
    if (!known) {
      started.then(
        () => (this.#isReading = true),
        () => {},
      );
    }
    return this.#writing;
  }

  async #started(name: ReadingName): Promise<StorageThread> {
    const known = this.#readingByName.get(name);
    const thread = known ?? StorageThread.open({ file: this.#file, writes: false }, this.#watch);
    if (known === undefined) this.#readingByName.set(name, thread);
    try {
      return await thread;
    } catch (problem) {
      // The next query tries again.
      this.#readingByName.delete(name);
      throw problem;
    }
  }
}
