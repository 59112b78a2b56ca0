import type { Refusal } from "../../core/base/errors.ts";
import {
  listKey,
  orders,
  type CanvasSummary,
  type ConversationSummary,
  type List,
  type ListEntry,
} from "../../core/forest/list.ts";
import type { DownMessage, UpMessage } from "../../core/protocol/base/messages.ts";
import { createCell, type Batch, type Cell } from "../base/observable.ts";
import { retriesWatch } from "../base/refused-edits.ts";
import { createRetryTimer, type RetryTimer } from "../base/retry-timer.ts";
import type { ClientPlatform, ListView } from "../base/types.ts";

type ListMessage = Extract<DownMessage, { type: "list" }>;

export interface ListWatchOptions {
  readonly batch: Batch;
  readonly platform: Pick<ClientPlatform, "setTimer">;
  send(message: UpMessage): void;
}

/** How many lists that nobody shows are remembered: the panes of a page show fewer. */
const rememberedMax = 16;

/** The lists that a client follows, each while its view has subscribers. */
export class ListWatches {
  readonly #options: ListWatchOptions;
  /** Only lists in use: filters come and go with every key that is pressed. */
  readonly #usedByKey = new Map<string, Set<ListWatch>>();
  /** What the last lists held when nobody showed them any more. While the connection is lost, they begin with it. */
  readonly #lastByKey = new Map<string, ListView<ListEntry>>();
  #isCut = false;

  constructor(options: ListWatchOptions) {
    this.#options = options;
  }

  view(list: List): Cell<ListView<ListEntry> | null> {
    const key = listKey(list);
    for (const known of this.#usedByKey.get(key) ?? []) return known.view;
    const first = this.#isCut ? (this.#lastByKey.get(key) ?? null) : null;
    const created = new ListWatch(list, this.#options, {
      first,
      begins: () => {
        const used = this.#usedByKey.get(key);
        if (used === undefined) this.#usedByKey.set(key, new Set([created]));
        else used.add(created);
        this.#options.send({ type: "watch-list", list });
      },
      ends: () => {
        this.#remember(key, created.view.get());
        const used = this.#usedByKey.get(key);
        used?.delete(created);
        if (used?.size !== 0) return;
        this.#usedByKey.delete(key);
        this.#options.send({ type: "unwatch-list", list });
      },
    });
    return created.view;
  }

  /** The connection is live (again). */
  live(): void {
    this.#isCut = false;
    for (const used of this.#usedByKey.values()) for (const watch of used) watch.join();
  }

  /** The connection is lost; what was known last stays. */
  cut(): void {
    this.#isCut = true;
    for (const used of this.#usedByKey.values()) for (const watch of used) watch.cut();
  }

  take(message: ListMessage): void {
    for (const watch of this.#usedByKey.get(listKey(message.list)) ?? []) watch.take(message);
  }

  #remember(key: string, shown: ListView<ListEntry> | null): void {
    if (shown === null) return;
    this.#lastByKey.delete(key);
    this.#lastByKey.set(key, shown);
    const [oldest] = this.#lastByKey.keys();
    if (this.#lastByKey.size > rememberedMax && oldest !== undefined) this.#lastByKey.delete(oldest);
  }

  /** The server refused to show a list. */
  refused(key: string, reason: Refusal): void {
    for (const watch of this.#usedByKey.get(key) ?? []) watch.refused(reason);
  }
}

interface ListUse {
  /** What is shown until the server has sent the list. */
  readonly first: ListView<ListEntry> | null;
  begins(): void;
  ends(): void;
}

class ListWatch {
  readonly view: Cell<ListView<ListEntry> | null>;
  readonly #list: List;
  readonly #options: ListWatchOptions;
  readonly #retry: RetryTimer;
  #byId: ReadonlyMap<string, ListEntry> = new Map();

  constructor(list: List, options: ListWatchOptions, use: ListUse) {
    this.#list = list;
    this.#options = options;
    this.#retry = createRetryTimer(options.platform);
    this.view = createCell<ListView<ListEntry> | null>(use.first, options.batch, () => {
      use.begins();
      return () => {
        this.#retry.cancel();
        use.ends();
      };
    });
  }

  join(): void {
    this.#options.send({ type: "watch-list", list: this.#list });
  }

  cut(): void {
    this.#retry.cancel();
  }

  take({ whole, total, entries, removed }: ListMessage): void {
    this.#retry.reset();
    const byId = new Map(whole ? [] : this.#byId);
    for (const id of removed) byId.delete(id);
    for (const entry of entries) byId.set(entry.id, entry);
    this.#byId = byId;
    this.view.set({ entries: sorted([...byId.values()], this.#list), total });
  }

  refused(reason: Refusal): void {
    if (retriesWatch(reason)) this.#retry.schedule(() => this.join());
    else this.view.set({ entries: [], total: 0, ...this.view.get(), refused: reason });
  }
}

function sorted(entries: readonly ListEntry[], list: List): readonly ListEntry[] {
  // The entries of a list are of one kind, as its name says.
  if (list.of === "conversations") return (entries as readonly ConversationSummary[]).toSorted(orders[list.order]);
  if (list.of === "canvases") return (entries as readonly CanvasSummary[]).toSorted(orders[list.order ?? "created"]);
  if (list.of === "canvas-folders") return entries.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return entries;
}
