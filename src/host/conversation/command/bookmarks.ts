import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { RootId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { Bookmark } from "../../../core/forest/types.ts";
import type { Clock } from "../../../core/port/platform.ts";
import type { Store, StoreWrite } from "../../../core/port/store.ts";
import type { RunFeedBody } from "../../../core/turn/state/feed.ts";
import { notRemembered, type Remember } from "../../base/once.ts";
import type { Conversation } from "../queue/conversation.ts";
import { SerialQueue } from "../../base/serial-queue.ts";
import type { BookmarkAnswer, BookmarkPlace, Bookmarks, Done } from "../base/types.ts";

/** Runs a job with an open conversation, outside its queue. */
type WithConversation = <Value>(
  rootId: RootId,
  job: (conversation: Conversation) => Promise<Result<Value, Refusal>>,
) => Promise<Result<Value, Refusal>>;

/**
 * The bookmarks of a workspace, by title. Changes run one after another, each also in the queue of its conversation. All
 * work that holds the queues of several conversations at once runs in here, which prevents deadlocks.
 */
export class StoredBookmarks implements Bookmarks {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #in: WithConversation;
  readonly #queue = new SerialQueue();

  constructor(store: Store, clock: Clock, within: WithConversation) {
    this.#store = store;
    this.#clock = clock;
    this.#in = within;
  }

  /** Runs work that holds the queues of several conversations, while no bookmark changes. */
  meanwhile<Value>(job: () => Promise<Value>): Promise<Value> {
    return this.#queue.run(job);
  }

  list(rootId: RootId | null): Promise<readonly Bookmark[]> {
    return this.#store.bookmarks(rootId);
  }

  put(
    { title, rootId, nodeId }: BookmarkPlace,
    remember: Remember<BookmarkAnswer> = notRemembered,
  ): Promise<Result<Bookmark, Refusal>> {
    return this.#queue.run(async () => {
      const before = await this.#titled(title);
      return this.#in(rootId, (conversation) =>
        conversation.command(async () => {
          const node = nodeId === null ? null : await this.#store.node(nodeId);
          if (nodeId !== null && node?.rootId !== rootId) return err(refusal("NODE_NOT_FOUND", { node_id: nodeId }));
          const now = this.#clock.now();
          const bookmark = { title, rootId, nodeId, createdAt: before?.createdAt ?? now, updatedAt: now };
          const writes: readonly StoreWrite[] = [{ type: "put-bookmark", bookmark }, ...remember({ bookmark }, rootId)];
          const feed: readonly RunFeedBody[] = [{ type: "bookmark-changed", title, bookmark }];
          const stored =
            before === null || before.rootId === rootId
              ? await conversation.commit({ writes, feed })
              : await this.#movedFrom(before, { to: conversation, writes, feed });
          return stored.ok ? ok(bookmark) : stored;
        }),
      );
    });
  }

  rename(
    { title, newTitle }: { readonly title: string; readonly newTitle: string },
    remember: Remember<BookmarkAnswer> = notRemembered,
  ): Promise<Result<Bookmark, Refusal>> {
    return this.#queue.run(async () => {
      const before = await this.#titled(title);
      if (before === null) return err(unknownBookmark(title));
      if (title === newTitle) {
        const writes = remember({ bookmark: before }, before.rootId);
        const recorded = await this.#in(before.rootId, (conversation) =>
          conversation.command(() => conversation.commit({ writes })),
        );
        return recorded.ok ? ok(before) : recorded;
      }
      if ((await this.#titled(newTitle)) !== null) {
        return err(refusal("CONFLICT", { title: newTitle }, "Another bookmark has this title. Choose another title."));
      }
      const bookmark = { ...before, title: newTitle, updatedAt: this.#clock.now() };
      const stored = await this.#change(before, bookmark, remember({ bookmark }, bookmark.rootId));
      return stored.ok ? ok(bookmark) : stored;
    });
  }

  remove(title: string, remember: Remember<Done> = notRemembered): Promise<Result<void, Refusal>> {
    return this.#queue.run(async () => {
      const before = await this.#titled(title);
      return before === null ? ok(undefined) : this.#change(before, null, remember({}, before.rootId));
    });
  }

  /**
   * Renames a bookmark, or deletes it (`after` null); the node may have been deleted meanwhile, and the bookmark with it.
   */
  #change(before: Bookmark, after: Bookmark | null, also: readonly StoreWrite[]): Promise<Result<void, Refusal>> {
    return this.#in(before.rootId, (conversation) =>
      conversation.command(async () => {
        if ((await this.#titled(before.title)) === null)
          return after === null ? ok(undefined) : err(unknownBookmark(before.title));
        const added = after === null ? [] : [{ type: "put-bookmark", bookmark: after } as const];
        const renamed =
          after === null ? [] : [{ type: "bookmark-changed", title: after.title, bookmark: after } as const];
        return conversation.commit({
          writes: [{ type: "delete-bookmark", title: before.title }, ...added, ...also],
          feed: [{ type: "bookmark-changed", title: before.title, bookmark: null }, ...renamed],
        });
      }),
    );
  }

  #movedFrom(
    { title, rootId }: Bookmark,
    target: {
      readonly to: Conversation;
      readonly writes: readonly StoreWrite[];
      readonly feed: readonly RunFeedBody[];
    },
  ): Promise<Result<void, Refusal>> {
    return this.#in(rootId, (left) =>
      left.command(() => {
        const { to, ...plan } = target;
        return to.commitWith(plan, {
          conversation: left,
          feed: [{ type: "bookmark-changed", title, bookmark: null }],
        });
      }),
    );
  }

  async #titled(title: string): Promise<Bookmark | null> {
    return (await this.#store.bookmarks(null)).find((bookmark) => bookmark.title === title) ?? null;
  }
}

/** Refuses a title that no bookmark has. */
export function unknownBookmark(title: string): Refusal {
  return refusal("NOT_FOUND", { title }, "No bookmark has this title. List the bookmarks to see the titles.");
}
