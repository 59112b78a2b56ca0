import type { Refusal } from "../../core/base/errors.ts";
import type { BlockId, DocumentId } from "../../core/base/ids.ts";
import { ok, type Result } from "../../core/base/result.ts";
import type { BlockChange, BlockHeader } from "../../core/block/types.ts";
import type { Store } from "../../core/port/store.ts";
import { missingChanges } from "./block/catch-up.ts";
import type { Lanes } from "./queue/lanes.ts";
import type { Feed } from "./record/feed.ts";
import type { Subscribable } from "./record/listeners.ts";
import type { BlockWatcher } from "./record/types.ts";

/** Feeds for the rest of the host, across all documents. */
interface HostFeeds {
  /** Every commit's changes. */
  readonly changes: Subscribable<readonly BlockChange[]>;
  /** Every file block that a commit changed, as its header after the commit. */
  readonly files: Subscribable<BlockHeader>;
}

/** The feed that a watcher is in. */
export type WatchedFeed = Pick<Feed, "unwatch">;

interface FeedPorts extends HostFeeds {
  readonly store: Store;
  readonly lanes: Lanes;
}

/** Publishes committed changes to subscribers: of one block, of one document, or of all. */
export class BlockFeeds implements HostFeeds {
  readonly changes: HostFeeds["changes"];
  readonly files: HostFeeds["files"];
  readonly #store: Store;
  readonly #lanes: Lanes;

  constructor({ store, lanes, changes, files }: FeedPorts) {
    this.#store = store;
    this.#lanes = lanes;
    this.changes = changes;
    this.files = files;
  }

  /**
   * Joins a block's feed (B-28): first either every change after `afterVersion` or a snapshot, then each change as it is
   * committed, in order, without gaps. Changes that belong together arrive in one `deliver` call (B-30). Returns the feed, which
   * the watcher leaves by `unwatch`.
   */
  watch(blockId: BlockId, afterVersion: number, watcher: BlockWatcher): Promise<Result<WatchedFeed, Refusal>> {
    const { feed } = this.#lanes.of(blockId);
    return this.#lanes.alone(blockId, async (block) => {
      const missed = await missingChanges(this.#store, block, afterVersion);
      if (missed.type === "snapshot") watcher.snapshot(missed.header, missed.document, missed.textHash);
      else if (missed.changes.length > 0) watcher.deliver(missed.changes);
      feed.watch(blockId, watcher);
      return ok(feed);
    });
  }

  /** Delivers every change of a document's blocks, from now on. */
  watchDocument(documentId: DocumentId, deliver: (changes: readonly BlockChange[]) => void): () => void {
    return this.#lanes.ofDocument(documentId).feed.watchDocument(deliver);
  }
}
