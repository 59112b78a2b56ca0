import { must } from "../../../core/base/assert.ts";
import type { Refusal } from "../../../core/base/errors.ts";
import { timeSortedId, type NodeId, type RootId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { planImport } from "../../../core/forest/import.ts";
import type { PortableBookmark } from "../../../core/forest/portable.ts";
import type { Bookmark, ForestNode, ForestRoot } from "../../../core/forest/types.ts";
import type { Platform } from "../../../core/port/platform.ts";
import type { Store, StoreWrite } from "../../../core/port/store.ts";
import type { RunFeedBody } from "../../../core/turn/state/feed.ts";
import { storedRecord } from "../../../core/turn/state/stored-feed.ts";
import { trimsOfFeed } from "../../conversation/base/feed-kept.ts";
import { slugFrom, titleFrom } from "../../conversation/base/titles.ts";
import { notStored } from "../../base/store-refusal.ts";
import type { SourceConversation } from "./import-source.ts";

/** What the import of one conversation has added, or would add with `dryRun`. */
export interface Imported {
  readonly rootId: RootId;
  readonly title: string;
  readonly isNew: boolean;
  readonly messagesAdded: number;
  /** Messages that existed already. */
  readonly messagesKept: number;
  readonly bookmarksAdded: readonly string[];
}

export interface ImportPorts {
  readonly store: Store;
  readonly platform: Pick<Platform, "clock" | "random">;
  /** The model of conversations that name none. */
  readonly model: string;
  readonly cwd: string;
  readonly dryRun: boolean;
}

/** How many messages one transaction adds: a second import continues where a stop interrupted the first. */
const nodesAtOnce = 500;

/**
 * Imports a conversation into a store that nobody else has open. Existing messages stay unchanged, so importing again adds
 * nothing. Each addition gets a feed entry, for clients that return with an older copy.
 */
export async function importConversation(
  ports: ImportPorts,
  source: SourceConversation,
): Promise<Result<Imported, Refusal>> {
  const { store, platform } = ports;
  const known = await store.rootByConfigHash(source.configHash);
  const root = known ?? newRoot(ports, source);
  const existing = new Map<string, NodeId>();
  for (const node of known === null ? [] : await store.nodes(known.id)) {
    if (!existing.has(node.prefixHash)) existing.set(node.prefixHash, node.id);
  }
  const newIds = source.nodes.map(() => newId(platform, "node") as NodeId);
  const { added, idsBySource } = planImport({ rootId: root.id, nodes: source.nodes, newIds, existing });
  const bookmarks = await newBookmarks(store, { root, given: source.bookmarks, idsBySource });
  if (!ports.dryRun) {
    const writer = new FeedWriter(store, platform, root.id, known === null ? 0 : await store.feedSeq(root.id));
    const stored = await writeAll(writer, { root: known === null ? root : null, added, bookmarks });
    if (!stored.ok) return stored;
  }
  return ok({
    rootId: root.id,
    title: root.title,
    isNew: known === null,
    messagesAdded: added.length,
    messagesKept: source.nodes.length - added.length,
    bookmarksAdded: bookmarks.map(({ title }) => title),
  });
}

async function writeAll(
  writer: FeedWriter,
  what: {
    readonly root: ForestRoot | null;
    readonly added: readonly ForestNode[];
    readonly bookmarks: readonly Bookmark[];
  },
): Promise<Result<void, Refusal>> {
  const { root, added, bookmarks } = what;
  if (root !== null) {
    const stored = await writer.commit([{ type: "put-root", root }], []);
    if (!stored.ok) return stored;
  }
  for (let from = 0; from < added.length; from += nodesAtOnce) {
    const part = added.slice(from, from + nodesAtOnce);
    const stored = await writer.commit(
      part.map((node) => ({ type: "put-node", node })),
      part.map((node) => ({ type: "node-added", node })),
    );
    if (!stored.ok) return stored;
  }
  return writer.commit(
    bookmarks.map((bookmark) => ({ type: "put-bookmark", bookmark })),
    bookmarks.map((bookmark) => ({ type: "bookmark-changed", title: bookmark.title, bookmark })),
  );
}

/** Writes to one conversation together with the feed entries. */
class FeedWriter {
  readonly #store: Store;
  readonly #platform: Pick<Platform, "clock">;
  readonly #rootId: RootId;
  #seq: number;

  constructor(store: Store, platform: Pick<Platform, "clock">, rootId: RootId, seq: number) {
    this.#store = store;
    this.#platform = platform;
    this.#rootId = rootId;
    this.#seq = seq;
  }

  async commit(writes: readonly StoreWrite[], entries: readonly RunFeedBody[]): Promise<Result<void, Refusal>> {
    if (writes.length === 0) return ok(undefined);
    const at = this.#platform.clock.now();
    const feed = entries.map((body, index): StoreWrite => {
      const record = { rootId: this.#rootId, seq: this.#seq + 1 + index, at, body };
      return { type: "append-feed", record: storedRecord(record) };
    });
    const trims = trimsOfFeed(this.#rootId, this.#seq + feed.length, feed.length);
    const committed = await this.#store.commit([...writes, ...feed, ...trims]);
    if (!committed.ok) return err(notStored(committed.error));
    this.#seq += feed.length;
    return ok(undefined);
  }
}

/**
 * Bookmark titles are keys: a title that is in use for another place gets a new one; the same place imported twice stays one
 * bookmark.
 */
async function newBookmarks(
  store: Store,
  place: {
    readonly root: ForestRoot;
    readonly given: readonly PortableBookmark[];
    readonly idsBySource: ReadonlyMap<string, NodeId>;
  },
): Promise<readonly Bookmark[]> {
  const { root, given, idsBySource } = place;
  const bookmarksByTitle = new Map((await store.bookmarks(null)).map((each) => [each.title, each]));
  const added: Bookmark[] = [];
  for (const { title: wanted, nodeId: source, createdAt, updatedAt } of given) {
    const nodeId = source === null ? null : must(idsBySource.get(source), "a bookmark is on an imported node");
    const isHere = (each: Bookmark | undefined): boolean => each?.rootId === root.id && each.nodeId === nodeId;
    let title = wanted;
    for (let count = 1; bookmarksByTitle.has(title) && !isHere(bookmarksByTitle.get(title)); count += 1) {
      title = count === 1 ? `${wanted} (imported)` : `${wanted} (imported ${count})`;
    }
    if (bookmarksByTitle.has(title)) continue;
    const bookmark = { title, rootId: root.id, nodeId, createdAt, updatedAt };
    bookmarksByTitle.set(title, bookmark);
    added.push(bookmark);
  }
  return added;
}

function newRoot({ platform, model, cwd }: ImportPorts, source: SourceConversation): ForestRoot {
  const id = newId(platform, "root") as RootId;
  const question = source.nodes.flatMap(({ message }) => (message.role === "user" ? [message] : []))[0];
  const title = source.title !== "" || question === undefined ? source.title : titleFrom(question);
  const now = platform.clock.now();
  return {
    id,
    slug: slugFrom(title, id),
    title,
    systemPrompt: source.systemPrompt,
    model: source.model ?? model,
    canvasId: null,
    cwd,
    archived: false,
    configHash: source.configHash,
    createdAt: source.createdAt ?? now,
    updatedAt: source.createdAt ?? now,
  };
}

function newId({ clock, random }: Pick<Platform, "clock" | "random">, prefix: string): string {
  return timeSortedId(prefix, clock.now(), random.bytes(12));
}
