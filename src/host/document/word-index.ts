import type { BlockId } from "../../core/base/ids.ts";
import { reasonOf } from "../../core/base/reason.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { Store, StoreWrite } from "../../core/port/store.ts";
import type { DocumentHub } from "./hub.ts";
import type { BlockReading } from "./record/types.ts";

/** How long a file that changes all the time waits to be indexed again. */
const delayMs = 2_000;
/** What one commit brings at most, so that nobody waits long behind it. */
const filesAtOnce = 50;
const unitsAtOnce = 256 * 1024;
/** Beyond it only a text's beginning can be found by its words. */
const unitsMax = 1024 * 1024;

/**
 * Keeps the words of files findable: some time after a file changed, in commits of its own, so that typing costs no
 * indexing. What a crash left behind is caught up with at the next start.
 */
export class WordIndex {
  readonly #ports: {
    readonly hub: Pick<DocumentHub, "reader" | "feeds">;
    readonly store: Store;
    readonly platform: Platform;
  };
  readonly #waiting = new Set<BlockId>();
  readonly #unwatch: () => void;
  #cancelTimer: (() => void) | null = null;
  #indexing: Promise<void> = Promise.resolve();

  constructor(ports: {
    readonly hub: Pick<DocumentHub, "reader" | "feeds">;
    readonly store: Store;
    readonly platform: Platform;
  }) {
    this.#ports = ports;
    this.#unwatch = ports.hub.feeds.files.subscribe(({ id, deletedAt }) => {
      if (deletedAt !== undefined) this.#waiting.delete(id);
      else this.#wait(id);
    });
  }

  /** Takes up what was left behind. */
  async start(): Promise<void> {
    for (const id of await this.#ports.store.filesWithoutWords()) this.#wait(id);
  }

  /** Resolves when every file that has changed so far can be found by its words. */
  settle(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#indexing = this.#indexing.then(() => this.#index());
    return this.#indexing;
  }

  async close(): Promise<void> {
    this.#unwatch();
    await this.settle();
    this.#cancelTimer?.();
  }

  #wait(id: BlockId): void {
    this.#waiting.add(id);
    this.#cancelTimer ??= this.#ports.platform.clock.setTimer(delayMs, () => void this.settle());
  }

  /** Whatever changes meanwhile waits for the next time: else files that are typed in would be indexed without a pause. */
  async #index(): Promise<void> {
    const ids = [...this.#waiting];
    for (let next = 0; next < ids.length;) {
      const writes: StoreWrite[] = [];
      let units = 0;
      for (const id of ids.slice(next, next + filesAtOnce)) {
        if (units > unitsAtOnce) break;
        next += 1;
        if (!this.#waiting.delete(id)) continue;
        const read = await this.#read(id);
        if (read === null) continue;
        const text = read.text.slice(0, unitsMax).toWellFormed();
        units += text.length;
        writes.push({ type: "put-block-words", blockId: id, version: read.header.version, text });
      }
      if (writes.length > 0 && !(await this.#commit(writes))) return;
    }
  }

  /** null for a file that is gone, or that cannot be read now: one file must not keep back the words of all. */
  async #read(id: BlockId): Promise<BlockReading | null> {
    try {
      const read = await this.#ports.hub.reader.read(id);
      return read.ok ? read.value : null;
    } catch (problem) {
      this.#ports.platform.logger.error("words-not-indexed", { block: id, reason: reasonOf(problem) });
      return null;
    }
  }

  /** Words that could not be written are behind until their file changes again, or until the next start. */
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
