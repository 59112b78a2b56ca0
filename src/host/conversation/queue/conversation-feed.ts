import { refusal } from "../../../core/base/errors.ts";
import type { RootId } from "../../../core/base/ids.ts";
import type { Logger } from "../../../core/port/platform.ts";
import type { Store, StoreWrite } from "../../../core/port/store.ts";
import type { FeedRecord, RunFeedBody } from "../../../core/turn/state/feed.ts";
import { nodesNamed, storedRecord, wholeRecords } from "../../../core/turn/state/stored-feed.ts";
import { feedKept, trimsOfFeed } from "../base/feed-kept.ts";
import type { ConversationView, ConversationWatcher } from "../base/types.ts";

/** Why a conversation accepts nothing more: the server stops, another process wrote to it, or it is in the trash. */
export type EndReason = "SHUTTING_DOWN" | "CONFLICT" | "IN_TRASH";

/** The feed of one conversation, in order and without gaps, and its watchers. */
export class ConversationFeed {
  readonly #rootId: RootId;
  readonly #logger: Logger;
  readonly #watchers = new Set<ConversationWatcher>();
  #seq: number;

  constructor(rootId: RootId, seq: number, logger: Logger) {
    this.#rootId = rootId;
    this.#seq = seq;
    this.#logger = logger;
  }

  /** The number of the last broadcast entry. */
  get seq(): number {
    return this.#seq;
  }

  get isWatched(): boolean {
    return this.#watchers.size > 0;
  }

  /** Numbers the next entries for a transaction; call `broadcast` once it is on disk. */
  next(
    bodies: readonly RunFeedBody[],
    at: number,
  ): { readonly writes: readonly StoreWrite[]; readonly broadcast: () => void } {
    const records = bodies.map((body, index): FeedRecord => {
      return { rootId: this.#rootId, seq: this.#seq + 1 + index, at, body };
    });
    return {
      writes: [
        ...records.map((record) => ({ type: "append-feed", record: storedRecord(record) }) as const),
        ...trimsOfFeed(this.#rootId, this.#seq + records.length, records.length),
      ],
      broadcast: () => {
        this.#seq += records.length;
        if (records.length > 0) this.#eachWatcher((watcher) => watcher.deliver(records));
      },
    };
  }

  /** Joins; see `Conversations.watch`. Returns a function that leaves the feed. */
  async join(
    afterSeq: number,
    watcher: ConversationWatcher,
    {
      store,
      view,
    }: { readonly store: Pick<Store, "feed" | "nodesOf">; readonly view: () => Promise<ConversationView> },
  ): Promise<() => void> {
    const missed = this.#seq - afterSeq;
    const isNear = afterSeq > 0 && missed >= 0 && missed <= feedKept;
    const records = isNear ? await this.#missed(afterSeq, missed, store) : null;
    if (records === null) watcher.snapshot(await view());
    else if (missed > 0) watcher.deliver(records);
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /** Returns the entries after a number as they were; null when they cannot be told any more. */
  async #missed(
    afterSeq: number,
    count: number,
    store: Pick<Store, "feed" | "nodesOf">,
  ): Promise<readonly FeedRecord[] | null> {
    if (count === 0) return [];
    const stored = await store.feed(this.#rootId, afterSeq, count);
    // Entries are numbered without gaps: fewer than were missed means that the oldest are not kept.
    if (stored.length < count) return null;
    return wholeRecords(stored, await store.nodesOf(nodesNamed(stored)));
  }

  /** A watcher must never wait for a feed that has ended silently. */
  terminate(reason: EndReason): void {
    this.#eachWatcher((watcher) => watcher.terminated?.(refusal(reason)));
    this.#watchers.clear();
  }

  #eachWatcher(notify: (watcher: ConversationWatcher) => void): void {
    for (const watcher of this.#watchers) {
      try {
        notify(watcher);
      } catch {
        this.#logger.error("watcher-failed", { rootId: this.#rootId });
      }
    }
  }
}
