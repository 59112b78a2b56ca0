import {
  conversationTitle,
  listKey,
  orders,
  titleFilter,
  type CanvasFolder,
  type CanvasSummary,
  type ConversationSummary,
  type List,
  type ListEntry,
} from "../../../core/forest/list.ts";
import type { DownMessage } from "../../../core/protocol/base/messages.ts";
import { FolderCounts } from "./folder-counts.ts";
import { SortedList } from "./sorted-list.ts";
import { Summaries, type SummaryChange, type SummarySource } from "./summaries.ts";

type ListMessage = Extract<DownMessage, { type: "list" }>;

export interface ListPorts<Watcher> {
  readonly conversations: SummarySource<ConversationSummary>;
  readonly canvases: SummarySource<CanvasSummary>;
  /** What a watcher may see; null: everything. */
  readonly sightOf: (watcher: Watcher) => Sight | null;
  /** Sends one message to several watchers. */
  readonly send: (watchers: Iterable<Watcher>, message: ListMessage) => void;
  /** Calls `flush` soon: changes until then are sent together. */
  readonly later: (flush: () => void) => void;
}

/** What somebody may see of the lists: as if there were nothing else. */
export interface Sight {
  /** Equal for watchers who see the same. */
  readonly key: string;
  canvas(entry: CanvasSummary): boolean;
  conversation(entry: ConversationSummary): boolean;
}

/** What all watchers of one list have, as they were told last. */
interface Window<Watcher> {
  readonly list: List;
  readonly sight: Sight | null;
  readonly watchers: Set<Watcher>;
  view: View;
  told: ReadonlyMap<string, ListEntry>;
  total: number;
}

/** The entries of a list as they are now. */
interface View {
  first(): readonly ListEntry[];
  total(): number;
}

/** How many sorted lists that nobody watches are kept for who comes next. */
const unusedKept = 8;

interface SharedList<Entry> {
  readonly sorted: SortedList<Entry>;
  users: number;
}

/**
 * The lists that clients watch. A client has the first entries of a list and hears what changes among them, so that a change
 * costs each client its own size, however much the workspace holds. Watchers of equal lists share their messages.
 */
export class ListWindows<Watcher> {
  readonly #ports: ListPorts<Watcher>;
  readonly #conversations: Summaries<ConversationSummary>;
  readonly #canvases: Summaries<CanvasSummary>;
  readonly #conversationLists = new Map<string, SharedList<ConversationSummary>>();
  readonly #canvasLists = new Map<string, SharedList<CanvasSummary>>();
  /** null until a client watches the document folders. */
  #folders: FolderCounts | null = null;
  readonly #windows = new Map<string, Window<Watcher>>();
  #flushes = false;

  constructor(ports: ListPorts<Watcher>) {
    this.#ports = ports;
    this.#conversations = new Summaries(ports.conversations, (change) =>
      this.#changed(this.#conversationLists, change),
    );
    this.#canvases = new Summaries(ports.canvases, (change) => {
      this.#folders?.replace(change);
      this.#changed(this.#canvasLists, change);
    });
  }

  close(): void {
    this.#conversations.close();
    this.#canvases.close();
  }

  /** Sends the list as it is, then its changes, unless `isThere` says that the watcher has gone meanwhile. */
  async watch(watcher: Watcher, list: List, isThere: () => boolean): Promise<void> {
    const isOfConversations = list.of === "conversations" || list.of === "conversation";
    await (isOfConversations ? this.#conversations : this.#canvases).loaded();
    if (!isThere()) return;
    const sight = this.#ports.sightOf(watcher);
    const key = windowKey(list, sight);
    let window = this.#windows.get(key);
    if (window === undefined) {
      window = this.#open(list, sight);
      this.#windows.set(key, window);
    } else {
      // Those who watch already hear of the changes first: from here on all have the same.
      this.#tell(window);
    }
    window.watchers.add(watcher);
    const entries = [...window.told.values()];
    this.#ports.send([watcher], { type: "list", list, whole: true, total: window.total, entries, removed: [] });
  }

  unwatch(watcher: Watcher, list: List): void {
    const sight = this.#ports.sightOf(watcher);
    const key = windowKey(list, sight);
    const window = this.#windows.get(key);
    if (window === undefined || !window.watchers.delete(watcher) || window.watchers.size > 0) return;
    this.#windows.delete(key);
    if (list.of === "conversations") release(this.#conversationLists, sharedKey(list, sight));
    if (list.of === "canvases") release(this.#canvasLists, sharedKey(list, sight));
  }

  /** Applies changed rights: who sees less or more than before is told. */
  sightChanged(): void {
    for (const lists of [this.#conversationLists, this.#canvasLists])
      for (const key of lists.keys()) if (key.includes(sightMark)) lists.delete(key);
    for (const window of this.#windows.values()) {
      if (window.sight === null) continue;
      window.view = this.#view(window.list, window.sight);
      this.#tell(window);
    }
  }

  #open(list: List, sight: Sight | null): Window<Watcher> {
    const view = this.#view(list, sight);
    return { list, sight, watchers: new Set(), view, told: byId(view.first()), total: view.total() };
  }

  #view(list: List, sight: Sight | null): View {
    switch (list.of) {
      case "conversations": {
        const fits = titleFilter(list.filter);
        const { archived, tag } = list;
        const shared = sharedList(this.#conversationLists, sharedKey(list, sight), () => {
          const matches = (entry: ConversationSummary): boolean =>
            entry.archived === archived &&
            (tag === undefined || entry.tags?.includes(tag) === true) &&
            (sight === null || sight.conversation(entry)) &&
            fits(conversationTitle(entry));
          return new SortedList(this.#conversations.all(), matches, orders[list.order]);
        });
        return { first: () => shared.first(list.count), total: () => shared.size };
      }
      case "canvases": {
        const fits = titleFilter(list.filter);
        const { order = "created", folderPath, archived = false } = list;
        const shared = sharedList(this.#canvasLists, sharedKey(list, sight), () => {
          const matches = (entry: CanvasSummary): boolean =>
            entry.filePath === undefined &&
            (entry.archived ?? false) === archived &&
            (folderPath === undefined || (entry.folderPath ?? "") === folderPath) &&
            (sight === null || sight.canvas(entry)) &&
            fits(entry.title);
          return new SortedList(this.#canvases.all(), matches, orders[order]);
        });
        return { first: () => shared.first(list.count), total: () => shared.size };
      }
      case "canvas-folders": {
        if (sight !== null) return seenFolders(() => [...this.#canvases.all()].filter((entry) => sight.canvas(entry)));
        const folders = (this.#folders ??= new FolderCounts(this.#canvases.all()));
        return { first: () => folders.entries(), total: () => folders.entries().length };
      }
      case "conversation":
        return single(() => seen(this.#conversations.get(list.id), (entry) => sight?.conversation(entry)));
      case "canvas":
        return single(() => seen(this.#canvases.get(list.id), (entry) => sight?.canvas(entry)));
    }
  }

  #changed<Entry>(lists: ReadonlyMap<string, SharedList<Entry>>, { before, after }: SummaryChange<Entry>): void {
    for (const { sorted } of lists.values()) sorted.replace(before, after);
    if (this.#flushes || this.#windows.size === 0) return;
    this.#flushes = true;
    this.#ports.later(() => {
      this.#flushes = false;
      for (const window of this.#windows.values()) this.#tell(window);
    });
  }

  /** Sends what differs from what the watchers have. Entries are never changed in place: an equal one is the same object. */
  #tell(window: Window<Watcher>): void {
    const { list, watchers, view, told } = window;
    const now = byId(view.first());
    const total = view.total();
    const entries = [...now.values()].filter((entry) => told.get(entry.id) !== entry);
    const removed = [...told.keys()].filter((id) => !now.has(id));
    if (entries.length === 0 && removed.length === 0 && total === window.total) return;
    window.told = now;
    window.total = total;
    this.#ports.send(watchers, { type: "list", list, whole: false, total, entries, removed });
  }
}

function seen<Entry>(entry: Entry | undefined, isSeen: (entry: Entry) => boolean | undefined): Entry | undefined {
  return entry === undefined || isSeen(entry) === false ? undefined : entry;
}

/** The folders of some canvases. An entry is the same object until its count changes. */
function seenFolders(canvases: () => readonly CanvasSummary[]): View {
  let known: ReadonlyMap<string, CanvasFolder> = new Map();
  const first = (): readonly CanvasFolder[] => {
    const entries = new FolderCounts(canvases()).entries().map((entry) => {
      const before = known.get(entry.id);
      return before?.count === entry.count ? before : entry;
    });
    known = new Map(entries.map((entry) => [entry.id, entry]));
    return entries;
  };
  return { first, total: () => first().length };
}

function single(get: () => ListEntry | undefined): View {
  const first = (): readonly ListEntry[] => {
    const entry = get();
    return entry === undefined ? [] : [entry];
  };
  return { first, total: () => first().length };
}

function byId(entries: readonly ListEntry[]): ReadonlyMap<string, ListEntry> {
  return new Map(entries.map((entry) => [entry.id, entry]));
}

/** Between the key of a list and that of who sees it. */
const sightMark = "\n";

function windowKey(list: List, sight: Sight | null): string {
  return sight === null ? listKey(list) : `${listKey(list)}${sightMark}${sight.key}`;
}

/** Lists that differ only in how many entries are watched share their order. */
function sharedKey(list: Extract<List, { readonly count: number }>, sight: Sight | null): string {
  return windowKey({ ...list, count: 1 }, sight);
}

function sharedList<Entry>(
  lists: Map<string, SharedList<Entry>>,
  key: string,
  create: () => SortedList<Entry>,
): SortedList<Entry> {
  const known = lists.get(key);
  if (known !== undefined) {
    known.users += 1;
    return known.sorted;
  }
  const sorted = create();
  lists.set(key, { sorted, users: 1 });
  return sorted;
}

function release<Entry>(lists: Map<string, SharedList<Entry>>, key: string): void {
  const shared = lists.get(key);
  if (shared === undefined) return;
  shared.users -= 1;
  if (shared.users > 0) return;
  // The last to be released is the last to be forgotten.
  lists.delete(key);
  lists.set(key, shared);
  const unused = [...lists].filter(([, { users }]) => users === 0);
  for (const [each] of unused.slice(0, Math.max(0, unused.length - unusedKept))) lists.delete(each);
}
