import { Worker } from "node:worker_threads";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { searchText, type SearchQuery, type SearchResult } from "../../core/block/search.ts";
import type { Clock } from "../../core/port/platform.ts";
import type { Searcher } from "../../core/port/searcher.ts";
import type { SearchDone, SearchTask } from "./search-worker.ts";

/** How long a search may run, from when its thread is ready for it. */
const searchDeadlineMs = 250;

export function createSearcher(clock: Clock, deadlineMs: number = searchDeadlineMs): Searcher {
  return new WorkerSearcher(clock, deadlineMs);
}

class WorkerSearcher implements Searcher {
  readonly #clock: Clock;
  readonly #deadlineMs: number;
  #worker: Promise<Worker> | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #nextId = 1;

  constructor(clock: Clock, deadlineMs: number) {
    this.#clock = clock;
    this.#deadlineMs = deadlineMs;
  }

  async search(
    texts: readonly string[],
    query: SearchQuery,
    deadlineMs = this.#deadlineMs,
  ): Promise<Result<readonly SearchResult[], Refusal>> {
    // Literal text takes time in proportion to its length only.
    if (query.mode === "literal") return ok(texts.map((text) => searchText(text, query)));
    const done = this.#last.then(() => this.#run({ texts, query }, deadlineMs));
    this.#last = done.catch(() => null);
    return done;
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    await (await worker)?.terminate();
  }

  async #run(
    { texts, query }: Omit<SearchTask, "id">,
    deadlineMs: number,
  ): Promise<Result<readonly SearchResult[], Refusal>> {
    this.#worker ??= startWorker();
    const starting = this.#worker;
    let worker: Worker;
    try {
      worker = await starting;
    } catch (bug) {
      this.#worker = null;
      throw bug;
    }
    const task: SearchTask = { id: this.#nextId, texts, query };
    this.#nextId += 1;
    return new Promise((resolve, reject) => {
      const end = (): void => {
        cancelTimer();
        worker.off("message", onMessage);
        worker.off("error", onError);
        worker.off("exit", onExit);
      };
      const discard = (): void => {
        end();
        if (this.#worker === starting) this.#worker = null;
        // It may be in the middle of an expression that never ends.
        void worker.terminate();
      };
      const onMessage = (message: SearchDone): void => {
        if (message.id !== task.id) return;
        end();
        resolve(ok(message.results));
      };
      const onError = (bug: unknown): void => {
        discard();
        reject(bug);
      };
      const onExit = (): void => {
        discard();
        reject(new Error("the search thread ended"));
      };
      const cancelTimer = this.#clock.setTimer(deadlineMs, () => {
        discard();
        resolve(err(refusal("REGEX_TIMEOUT", { query: query.query, deadline_ms: deadlineMs })));
      });
      worker.on("message", onMessage);
      worker.on("error", onError);
      worker.on("exit", onExit);
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      worker.postMessage(task);
    });
  }
}

function startWorker(): Promise<Worker> {
  const file = import.meta.url.endsWith(".ts") ? "./search-worker.ts" : "./search-worker.js";
  const worker = new Worker(new URL(file, import.meta.url), {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  // A search never keeps the process from ending.
  worker.unref();
  return new Promise((resolve, reject) => {
    worker.once("message", () => {
      worker.off("error", reject);
      resolve(worker);
    });
    worker.once("error", reject);
  });
}
