import { must } from "../../../core/base/assert.ts";
import type { Refusal } from "../../../core/base/errors.ts";
import { timeSortedId, type NodeId, type RootId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { planImport } from "../../../core/forest/import.ts";
import type { PortableBookmark } from "../../../core/forest/portable.ts";
import type { Bookmark, ForestNode, ForestRoot } from "../../../core/forest/types.ts";
import type { Platform } from "../../../core/port/platform.ts";
import type { Store, StoreWrite } from "../../../core/port/store.ts";
import type { RunFeedBody } from "../../../core/turn/feed.ts";
import { slugFrom, titleFrom } from "../../conversation/base/titles.ts";
import { notStored } from "../../base/store-refusal.ts";
import type { SourceConversation } from "./import-source.ts";

/** What taking over one conversation has added, or with `dryRun` would add. */
export interface Imported {
  readonly rootId: RootId;
  readonly title: string;
  readonly isNew: boolean;
  readonly messagesAdded: number;
  /** Messages that stood there already. */
  readonly messagesKept: number;
  readonly bookmarksAdded: readonly string[];
}

export interface ImportPorts {
  readonly store: Store;
  readonly platform: Pick<Platform, "clock" | "random">;
  /** What a conversation has that says nothing of its own. */
  readonly model: string;
  readonly cwd: string;
  readonly dryRun: boolean;
}

/** How many messages one transaction takes: another start goes on where a stop has cut in. */
const nodesAtOnce = 500;

/**
 * Takes a conversation over into a store that nobody else has open. What stands there already is left as it is, so that
 * doing it again adds nothing. Each addition is told in the feed, for those who come back with an older copy.
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

/** Writes to one conversation together with what its feed tells of it. */
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

  async commit(writes: readonly StoreWrite[], told: readonly RunFeedBody[]): Promise<Result<void, Refusal>> {
    if (writes.length === 0) return ok(undefined);
    const at = this.#platform.clock.now();
    const feed = told.map((body, index): StoreWrite => {
      return { type: "append-feed", record: { rootId: this.#rootId, seq: this.#seq + 1 + index, at, body } };
    });
    const committed = await this.#store.commit([...writes, ...feed]);
    if (!committed.ok) return err(notStored(committed.error));
    this.#seq += feed.length;
    return ok(undefined);
  }
}

/** Titles are keys: one that stands elsewhere gets another beside it, and the same place twice stays one. */
async function newBookmarks(
  store: Store,
  place: {
    readonly root: ForestRoot;
    readonly given: readonly PortableBookmark[];
    readonly idsBySource: ReadonlyMap<string, NodeId>;
  },
): Promise<readonly Bookmark[]> {
  const { root, given, idsBySource } = place;
  const taken = new Map((await store.bookmarks(null)).map((each) => [each.title, each]));
  const added: Bookmark[] = [];
  for (const { title: wanted, nodeId: source, createdAt, updatedAt } of given) {
    const nodeId = source === null ? null : must(idsBySource.get(source), "a bookmark is on a node that is taken over");
    const isHere = (each: Bookmark | undefined): boolean => each?.rootId === root.id && each.nodeId === nodeId;
    let title = wanted;
    for (let count = 1; taken.has(title) && !isHere(taken.get(title)); count += 1) {
      title = count === 1 ? `${wanted} (imported)` : `${wanted} (imported ${count})`;
    }
    if (taken.has(title)) continue;
    const bookmark = { title, rootId: root.id, nodeId, createdAt, updatedAt };
    taken.set(title, bookmark);
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
