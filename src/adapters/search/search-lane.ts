import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { must } from "../../core/base/assert.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { shownUnits, type Matches, type SearchQuery } from "../../core/block/search/search.ts";
import type { Clock } from "../../core/port/platform.ts";
import type { TextAt } from "../../core/port/thread-texts.ts";
import type { FoundTexts, KeptTexts, SearchBounds } from "../../core/port/searcher.ts";
import { KeptTextIndex } from "./kept-texts.ts";
import { afterComputing } from "./thread-time.ts";
import { StoredPlaces } from "./stored-places.ts";
import type { SearchDone, SearchReady, SearchTask, StoredText } from "./search-task.ts";

/** UTF-16 units loaded and searched per message to the thread, roughly; bounds the wait of other searches. */
const loadedUnitsMax = 1024 * 1024;
const portionUnitsMax = 32 * 1024 * 1024;
/** Texts in memory load without waiting, so after this many the event loop gets a turn for other work. */
const loadsAtOnce = 8;
/** 256 MB, since a unit takes two bytes at most. */
const keptUnitsMax = 128 * 1024 * 1024;

/** Versions of texts that were read once; older entries are forgotten. */
const readOnceMax = 50_000;
/** Milliseconds of processor time that a thread may take to read what one portion asks of it. */
const readingMs = 2_000;

interface Portion extends Pick<SearchTask, "keep" | "texts" | "stored"> {
  /** The index of each text among all texts. */
  readonly places: readonly number[];
  /** The texts that the thread reads and keeps, by their handles. */
  readonly toKeep: ReadonlyMap<number, TextAt>;
  /** The first index that is not in the portion. */
  readonly next: number;
}

interface SearchThread {
  readonly worker: Worker;
  /** Processor time that it had used when it last said so. It uses none between two tasks. */
  usedMs: number;
}

/** One search thread with its kept texts. Searches take turns, one portion of texts at a time. */
export class SearchLane {
  readonly #clock: Clock;
  readonly #kept = new KeptTextIndex(keptUnitsMax);
  /** The version at which the thread has read a text without keeping it. */
  readonly #readOnce = new Map<string, number>();
  #thread: Promise<SearchThread> | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #nextId = 1;
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  searchOne(text: string, query: SearchQuery, deadlineMs: number): Promise<Result<FoundTexts, Refusal>> {
    return this.#inQueue(() =>
      this.#run(query, { keep: [], texts: [text], stored: null, textsMax: 1, unitsMax: Infinity }, { deadlineMs }),
    );
  }

  async searchKept(
    texts: KeptTexts,
    query: SearchQuery,
    { deadlineMs, textsMax, unitsMax }: SearchBounds,
  ): Promise<Result<FoundTexts, Refusal>> {
    const all: { readonly index: number; readonly matches: Matches }[] = [];
    let invalid: Pick<FoundTexts, "invalidRegex"> = {};
    let leftMs = deadlineMs;
    const stored = new StoredPlaces(texts);
    let units = 0;
    let isFull = false;
    for (let next = 0; next < texts.of.length && all.length < textsMax && !isFull;) {
      const searched = await this.#inQueue(async () => {
        const portion = await this.#portion(texts, next, stored);
        const bounds = { textsMax: textsMax - all.length, unitsMax: unitsMax - units };
        const done = await this.#run(query, { ...portion, ...bounds }, { deadlineMs, leftMs });
        if (!done.ok) return done;
        leftMs -= done.value.computedMs;
        next = this.#searched(portion, done.value, stored);
        return ok({ done: done.value, places: portion.places });
      });
      if (!searched.ok) return searched;
      const { done, places } = searched.value;
      for (const { index, matches } of done.found) {
        all.push({ index: must(places[index], "each text has a place"), matches });
        units += shownUnits(matches);
      }
      ({ isFull } = done);
      if (done.invalidRegex !== undefined) invalid = { invalidRegex: done.invalidRegex };
    }
    return ok({ found: all, isFull, ...invalid });
  }

  /** Rejects running and waiting searches. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const thread = await this.#thread?.catch(() => null);
    await thread?.worker.terminate();
  }

  #inQueue<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = this.#last.then(() => {
      if (this.#isClosed) throw new Error("the searcher is closed");
      return work();
    });
    this.#last = done.catch(() => null);
    return done;
  }

  /** Records what the thread keeps after a portion; returns the place where the search goes on. */
  #searched(portion: Portion, { kept, searched, isMissing }: SearchDone, stored: StoredPlaces): number {
    let keptUnits = 0;
    for (const { handle, units } of kept) {
      const { id, version } = must(portion.toKeep.get(handle), "a text was asked for under each handle");
      this.#kept.keep(id, { handle, version, units });
      keptUnits += units;
    }
    if (this.#readOnce.size >= readOnceMax) this.#readOnce.clear();
    for (const text of portion.texts.slice(0, searched)) {
      if (typeof text === "object") this.#readOnce.set(text.id, text.version);
    }
    const next = portion.places[searched] ?? portion.next;
    const isCut = searched < portion.texts.length;
    const read = isCut ? portion.texts.slice(0, searched).filter((text) => typeof text === "object").length : null;
    stored.searched({ keptUnits, read, missing: isMissing ? next : null });
    return next;
  }

  /** Collects the next texts to search and loads those that the thread neither has nor can read. */
  async #portion(texts: KeptTexts, from: number, stored: StoredPlaces): Promise<Portion> {
    const keep: { readonly handle: number; readonly text: string }[] = [];
    const toKeep = new Map<number, TextAt>();
    const named: (number | StoredText)[] = [];
    const places: number[] = [];
    let next = from;
    let units = 0;
    let loadedUnits = 0;
    let loads = 0;
    let reads = 0;
    try {
      for (; next < texts.of.length && units < portionUnitsMax && loadedUnits < loadedUnitsMax; next += 1) {
        const { id, version } = must(texts.of[next], "a text at every place");
        let kept = this.#kept.find(id, version);
        const inThread = kept === undefined ? stored.at(next) : null;
        if (inThread !== null) {
          if (reads === stored.atOnce) break;
          reads += 1;
          const wasReadOnce = this.#readOnce.get(inThread.id) === version;
          const handle = stored.keeps && wasReadOnce ? this.#kept.newHandle() : null;
          if (handle !== null) toKeep.set(handle, inThread);
          named.push({ ...inThread, handle });
          places.push(next);
          continue;
        }
        if (kept === undefined) {
          loads += 1;
          if (loads % loadsAtOnce === 0) await nextTurn();
          const loaded = await texts.load(next);
          if (loaded === null) continue;
          const handle = this.#kept.newHandle();
          kept = this.#kept.keep(id, { handle, version: loaded.version, units: loaded.text.length });
          keep.push({ handle, text: loaded.text });
          loadedUnits += kept.units;
        }
        named.push(kept.handle);
        places.push(next);
        units += kept.units;
      }
    } catch (bug) {
      // The loaded texts never reach the thread.
      this.#kept.dropAll();
      throw bug;
    }
    return { keep, toKeep, texts: named, stored: reads === 0 ? null : stored.source, places, next };
  }

  async #run(
    query: SearchQuery,
    portion: Pick<SearchTask, "keep" | "texts" | "stored" | "textsMax" | "unitsMax">,
    { deadlineMs, leftMs = deadlineMs }: { readonly deadlineMs: number; readonly leftMs?: number },
  ): Promise<Result<SearchDone, Refusal>> {
    const facts = { query: query.query, deadline_ms: deadlineMs };
    const late =
      query.mode === "regex"
        ? refusal("REGEX_TIMEOUT", facts)
        : refusal(
            "REGEX_TIMEOUT",
            facts,
            "The search took too long. Search fewer blocks, or search for a longer text.",
          );
    if (leftMs <= 0) {
      this.#kept.dropAll();
      return err(late);
    }
    const thread = await this.#started();
    const { worker } = thread;
    const starting = this.#thread;
    const { keep, texts, stored, textsMax, unitsMax } = portion;
    const drop = this.#kept.takeDropped();
    const task: SearchTask = { id: this.#nextId, query, drop, keep, texts, stored, textsMax, unitsMax };
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
        this.#lose(starting);
        // The thread may be inside an expression that never ends.
        void worker.terminate();
      };
      const onMessage = (done: SearchDone): void => {
        if (done.id !== task.id) return;
        end();
        thread.usedMs = done.usedMs;
        resolve(ok(done));
      };
      const onError = (bug: unknown): void => {
        discard();
        reject(bug);
      };
      const onExit = (): void => {
        discard();
        reject(new Error("the search thread ended"));
      };
      const limitMs = stored === null ? leftMs : leftMs + readingMs;
      const cancelTimer = afterComputing(this.#clock, { ...thread, limitMs }, () => {
        discard();
        resolve(err(late));
      });
      worker.on("message", onMessage);
      worker.on("error", onError);
      worker.on("exit", onExit);
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      worker.postMessage(task);
    });
  }

  /** Resolves to the thread once it has started. */
  async #started(): Promise<SearchThread> {
    if (this.#thread === null) {
      const started = startThread();
      this.#thread = started;
      // The thread may end while no search runs.
      void started.then(
        ({ worker }) => worker.once("exit", () => this.#lose(started)),
        () => {},
      );
    }
    const starting = this.#thread;
    try {
      return await starting;
    } catch (bug) {
      this.#lose(starting);
      throw bug;
    }
  }

  /** Drops the thread and its texts. */
  #lose(lost: Promise<SearchThread> | null): void {
    if (this.#thread !== lost) return;
    this.#thread = null;
    this.#kept.clear();
  }
}

function startThread(): Promise<SearchThread> {
  const file = import.meta.url.endsWith(".ts") ? "./search-worker.ts" : "./search-worker.js";
  const worker = new Worker(new URL(file, import.meta.url), {
    execArgv: [],
    // What is read once is garbage at once: a small young generation is used again while it is in the processor's cache.
    resourceLimits: { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 8 },
  });
  // The thread must not keep the process alive.
  worker.unref();
  // A no-op listener: between two searches no one waits for the thread, and an unhandled error event would end the process.
  worker.on("error", () => {});
  return new Promise((resolve, reject) => {
    worker.once("message", ({ usedMs }: SearchReady) => {
      worker.off("error", reject);
      resolve({ worker, usedMs });
    });
    worker.once("error", reject);
  });
}
