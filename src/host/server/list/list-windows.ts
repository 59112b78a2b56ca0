import {
  conversationTitle,
  listKey,
  orders,
  titleFilter,
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
  /** Sends one message to several watchers. */
  readonly send: (watchers: Iterable<Watcher>, message: ListMessage) => void;
  /** Calls `flush` soon: changes until then are sent together. */
  readonly later: (flush: () => void) => void;
}

/** What all watchers of one list have, as they were told last. */
interface Window<Watcher> {
  readonly list: List;
  readonly watchers: Set<Watcher>;
  readonly view: View;
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
    const key = listKey(list);
    let window = this.#windows.get(key);
    if (window === undefined) {
      window = this.#open(list);
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
    const key = listKey(list);
    const window = this.#windows.get(key);
    if (window === undefined || !window.watchers.delete(watcher) || window.watchers.size > 0) return;
    this.#windows.delete(key);
    if (list.of === "conversations") release(this.#conversationLists, sharedKey(list));
    if (list.of === "canvases") release(this.#canvasLists, sharedKey(list));
  }

  #open(list: List): Window<Watcher> {
    const view = this.#view(list);
    return { list, watchers: new Set(), view, told: byId(view.first()), total: view.total() };
  }

  #view(list: List): View {
    switch (list.of) {
      case "conversations": {
        const fits = titleFilter(list.filter);
        const { archived, tag } = list;
        const shared = sharedList(this.#conversationLists, sharedKey(list), () => {
          const matches = (entry: ConversationSummary): boolean =>
            entry.archived === archived &&
            (tag === undefined || entry.tags?.includes(tag) === true) &&
            fits(conversationTitle(entry));
          return new SortedList(this.#conversations.all(), matches, orders[list.order]);
        });
        return { first: () => shared.first(list.count), total: () => shared.size };
      }
      case "canvases": {
        const fits = titleFilter(list.filter);
        const { order = "created", folderPath, archived = false } = list;
        const shared = sharedList(this.#canvasLists, sharedKey(list), () => {
          const matches = (entry: CanvasSummary): boolean =>
            entry.filePath === undefined &&
            (entry.archived ?? false) === archived &&
            (folderPath === undefined || (entry.folderPath ?? "") === folderPath) &&
            fits(entry.title);
          return new SortedList(this.#canvases.all(), matches, orders[order]);
        });
        return { first: () => shared.first(list.count), total: () => shared.size };
      }
      case "canvas-folders": {
        const folders = (this.#folders ??= new FolderCounts(this.#canvases.all()));
        return { first: () => folders.entries(), total: () => folders.entries().length };
      }
      case "conversation":
        return single(() => this.#conversations.get(list.id));
      case "canvas":
        return single(() => this.#canvases.get(list.id));
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

/** Lists that differ only in how many entries are watched share their order. */
function sharedKey(list: Extract<List, { readonly count: number }>): string {
  return listKey({ ...list, count: 1 });
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
