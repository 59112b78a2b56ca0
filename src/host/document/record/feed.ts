import type { BlockId } from "../../../core/base/ids.ts";
import type { BlockChange } from "../../../core/block/types.ts";
import type { Logger } from "../../../core/port/platform.ts";
import type { BlockWatcher } from "./types.ts";

type DeliverChanges = (changes: readonly BlockChange[]) => void;

/** The watchers of a document's changes. Each watcher receives the changes of one commit in one call. */
export class Feed {
  readonly #logger: Logger;
  readonly #onUnwatched: (blockId: BlockId) => void;
  readonly #watchersById = new Map<BlockId, Set<BlockWatcher>>();
  readonly #documentWatchers = new Set<{ readonly deliver: DeliverChanges }>();

  /** `onUnwatched` is called when a block's last watcher has left. */
  constructor(logger: Logger, onUnwatched: (blockId: BlockId) => void) {
    this.#logger = logger;
    this.#onUnwatched = onUnwatched;
  }

  get isUnwatched(): boolean {
    return this.#watchersById.size === 0 && this.#documentWatchers.size === 0;
  }

  isWatched(blockId: BlockId): boolean {
    return this.#watchersById.has(blockId);
  }

  /** Returns the number of a block's watchers. */
  audience(blockId: BlockId): number {
    return this.#watchersById.get(blockId)?.size ?? 0;
  }

  watch(blockId: BlockId, watcher: BlockWatcher): void {
    const watchers = this.#watchersById.get(blockId) ?? new Set();
    watchers.add(watcher);
    this.#watchersById.set(blockId, watchers);
  }

  /** Ends a watch. A method and not a closure of each watch, which would be a thirtieth of an idle connection. */
  unwatch(blockId: BlockId, watcher: BlockWatcher): void {
    const watchers = this.#watchersById.get(blockId);
    if (watchers?.delete(watcher) !== true || watchers.size > 0) return;
    this.#watchersById.delete(blockId);
    this.#onUnwatched(blockId);
  }

  watchDocument(deliver: DeliverChanges): () => void {
    const watcher = { deliver };
    this.#documentWatchers.add(watcher);
    return () => {
      this.#documentWatchers.delete(watcher);
    };
  }

  publish(changes: readonly BlockChange[]): void {
    for (const ofBlock of byBlock(changes)) {
      const [first] = ofBlock;
      const watchers = first === undefined ? undefined : this.#watchersById.get(first.blockId);
      for (const watcher of watchers ?? []) this.#deliver(watcher, ofBlock);
    }
    for (const watcher of this.#documentWatchers) this.#deliver(watcher, changes);
  }

  /** Delivers changes; a watcher that throws is logged and does not keep the others from receiving them. */
  #deliver(watcher: { readonly deliver: DeliverChanges }, changes: readonly BlockChange[]): void {
    try {
      watcher.deliver(changes);
    } catch (bug) {
      this.#logger.error("watcher-failed", { reason: String(bug) });
    }
  }
}

function byBlock(changes: readonly BlockChange[]): Iterable<readonly BlockChange[]> {
  const [first] = changes;
  if (changes.every(({ blockId }) => blockId === first?.blockId)) return [changes];
  return Map.groupBy(changes, ({ blockId }) => blockId).values();
}
