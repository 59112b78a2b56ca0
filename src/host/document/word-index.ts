import type { BlockId } from "../../core/base/ids.ts";
import { reasonOf } from "../../core/base/reason.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { Store, StoreWrite } from "../../core/port/store.ts";
import type { DocumentHub } from "./hub.ts";
import type { BlockReading } from "./record/types.ts";

/** Delay between a change of a file and its indexing. */
const delayMs = 2_000;
/** Bounds of one commit, so that other commits do not wait long. */
const filesAtOnce = 50;
const unitsAtOnce = 64 * 1024;
/**
 * After each commit indexing rests so many times as long as that took: a text is indexed whole, however little of it changed, and
 * long texts that are typed in all day would keep the store from those who type.
 */
const restShare = 3;
/** Length of the beginning of a text that is indexed, in UTF-16 units. */
export const indexedUnitsMax = 1024 * 1024;

export interface WordIndexPorts {
  readonly hub: Pick<DocumentHub, "reader" | "feeds">;
  readonly store: Store;
  readonly platform: Platform;
  /** Whether another process waits to open the store: what waits to be indexed is left to its start. Not by default. */
  readonly handsOver?: boolean;
}

/**
 * Indexes the words of files in commits of its own, some time after each change, so that typing does not wait for indexing.
 * After a crash, the next start indexes the files that were left.
 */
export class WordIndex {
  readonly #ports: WordIndexPorts;
  readonly #waiting = new Set<BlockId>();
  readonly #unwatch: () => void;
  #cancelTimer: (() => void) | null = null;
  #indexing: Promise<void> = Promise.resolve();
  /** How many wait for everything to be indexed: nothing rests meanwhile. */
  #hurried = 0;
  #endRest = (): void => {};

  constructor(ports: WordIndexPorts) {
    this.#ports = ports;
    this.#unwatch = ports.hub.feeds.files.subscribe(({ id, deletedAt }) => {
      if (deletedAt !== undefined) this.#waiting.delete(id);
      else this.#wait(id);
    });
  }

  /** Schedules the files whose words are out of date. */
  async start(): Promise<void> {
    for (const id of await this.#ports.store.filesWithoutWords()) this.#wait(id);
  }

  /** Resolves when every file that has changed so far is indexed. */
  async settle(): Promise<void> {
    this.#hurried += 1;
    this.#endRest();
    await this.#indexWaiting();
    this.#hurried -= 1;
  }

  async close(): Promise<void> {
    this.#unwatch();
    if (this.#ports.handsOver === true) this.#waiting.clear();
    await this.settle();
    this.#cancelTimer?.();
  }

  #wait(id: BlockId): void {
    this.#waiting.add(id);
    this.#cancelTimer ??= this.#ports.platform.clock.setTimer(delayMs, () => void this.#indexWaiting());
  }

  #indexWaiting(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#indexing = this.#indexing.then(() => this.#index());
    return this.#indexing;
  }

  /**
   * Indexes the files waiting now. Files that change meanwhile wait for the next run; otherwise indexing would never pause.
   */
  async #index(): Promise<void> {
    const ids = [...this.#waiting];
    const { clock } = this.#ports.platform;
    for (let next = 0; next < ids.length;) {
      const began = clock.monotonic();
      const writes: StoreWrite[] = [];
      let units = 0;
      for (const id of ids.slice(next, next + filesAtOnce)) {
        if (units > unitsAtOnce) break;
        next += 1;
        if (!this.#waiting.delete(id)) continue;
        const read = await this.#read(id);
        if (read === null) continue;
        const text = read.text.slice(0, indexedUnitsMax).toWellFormed();
        units += text.length;
        writes.push({ type: "put-block-words", blockId: id, version: read.header.version, text });
      }
      if (writes.length > 0 && !(await this.#commit(writes))) return;
      await this.#rest((clock.monotonic() - began) * restShare);
    }
  }

  /** Waits, unless somebody waits for the index. */
  #rest(ms: number): Promise<void> {
    if (this.#hurried > 0 || ms === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#ports.platform.clock.setTimer(ms, resolve);
      this.#endRest = () => {
        cancel();
        resolve();
      };
    });
  }

  /** Returns null for a file that was deleted or cannot be read: one bad file must not block the index. */
  async #read(id: BlockId): Promise<BlockReading | null> {
    try {
      const read = await this.#ports.hub.reader.read(id);
      return read.ok ? read.value : null;
    } catch (problem) {
      this.#ports.platform.logger.error("words-not-indexed", { block: id, reason: reasonOf(problem) });
      return null;
    }
  }

  /** Writes words; words that could not be written stay out of date until their file changes or until the next start. */
  async #commit(writes: readonly StoreWrite[]): Promise<boolean> {
    const { store, platform } = this.#ports;
    try {
      const committed = await store.commit(writes);
      if (!committed.ok) platform.logger.warn("words-not-indexed", { code: committed.error.code });
      return committed.ok;
    } catch (problem) {
      platform.logger.error("words-not-indexed", { reason: reasonOf(problem) });
      return false;
    }
  }
}
