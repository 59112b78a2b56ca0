import fc from "fast-check";
import { expect, test } from "vitest";
import type { BlockId, RootId } from "../../../core/base/ids.ts";
import {
  conversationTitle,
  listKey,
  orders,
  type CanvasSummary,
  type ConversationSummary,
  type List,
  type ListEntry,
} from "../../../core/forest/list.ts";
import type { DownMessage } from "../../../core/protocol/base/messages.ts";
import { scaled } from "../../../../test/scale.ts";
import { ListWindows } from "./list-windows.ts";

type ListMessage = Extract<DownMessage, { type: "list" }>;

/** A source whose entries a test changes. */
class Source<Entry extends ListEntry> {
  readonly byId = new Map<string, Entry>();
  #listener: (entry: Entry, deleted: boolean) => void = () => undefined;
  loads = 0;
  fails = false;

  async load(): Promise<readonly Entry[]> {
    this.loads += 1;
    if (this.fails) throw new Error("the store is away");
    const read = [...this.byId.values()];
    await Promise.resolve();
    return read;
  }

  watch(listener: (entry: Entry, deleted: boolean) => void): () => void {
    this.#listener = listener;
    return () => undefined;
  }

  put(entry: Entry): void {
    this.byId.set(entry.id, entry);
    this.#listener(entry, false);
  }

  delete(entry: Entry): void {
    this.byId.delete(entry.id);
    this.#listener(entry, true);
  }
}

/** What a client holds of the lists that it watches. */
class Page {
  readonly received: ListMessage[] = [];
  readonly entries = new Map<string, ReadonlyMap<string, ListEntry>>();

  take(message: ListMessage): void {
    this.received.push(message);
    const key = listKey(message.list);
    const next = new Map(message.whole ? [] : this.entries.get(key));
    for (const id of message.removed) next.delete(id);
    for (const entry of message.entries) next.set(entry.id, entry);
    this.entries.set(key, next);
  }

  ids(list: List): readonly string[] {
    return [...(this.entries.get(listKey(list)) ?? [])].map(([id]) => id).toSorted();
  }
}

function open() {
  const conversations = new Source<ConversationSummary>();
  const canvases = new Source<CanvasSummary>();
  let flush: () => void = () => undefined;
  const windows = new ListWindows<Page>({
    conversations,
    canvases,
    sightOf: () => null,
    send: (pages, message) => {
      for (const page of pages) page.take(message);
    },
    later: (work) => {
      flush = work;
    },
  });
  return { conversations, canvases, windows, flush: () => flush() };
}

function conversation(id: string, change: Partial<ConversationSummary> = {}): ConversationSummary {
  return {
    id: id as RootId,
    slug: id,
    title: id,
    model: "scripted/scribe",
    canvasId: null,
    archived: false,
    createdAt: 1,
    updatedAt: 1,
    ...change,
  };
}

const recent = (count: number, filter = ""): List => ({
  of: "conversations",
  archived: false,
  order: "created",
  filter,
  count,
});
const always = (): boolean => true;

test("a rename in a workspace of 5,000 conversations costs a page that shows them one entry", async () => {
  const { conversations, windows, flush } = open();
  for (let n = 0; n < 5_000; n += 1) conversations.put(conversation(`c${n}`, { createdAt: n }));
  const page = new Page();
  await windows.watch(page, recent(100), always);
  expect(page.received.map(({ entries, total }) => [entries.length, total])).toEqual([[100, 5_000]]);
  conversations.put(conversation("c4990", { createdAt: 4_990, title: "Renamed" }));
  conversations.put(conversation("c3", { createdAt: 3, title: "Far below" }));
  flush();
  const [, change] = page.received;
  expect(page.received).toHaveLength(2);
  expect(change).toMatchObject({ whole: false, removed: [], entries: [{ id: "c4990", title: "Renamed" }] });
  expect(JSON.stringify(change).length).toBeLessThan(400);
});

test("an entry that leaves the first ones is replaced by the next", async () => {
  const { conversations, windows, flush } = open();
  const [a, b, c] = ["a", "b", "c"].map((id, index) => conversation(id, { createdAt: 9 - index }));
  for (const entry of [a, b, c]) if (entry !== undefined) conversations.put(entry);
  const page = new Page();
  await windows.watch(page, recent(2), always);
  if (a !== undefined) conversations.delete(a);
  flush();
  expect(page.received[1]).toMatchObject({ total: 2, removed: ["a"], entries: [{ id: "c" }] });
});

test("a page that comes later and those that watch already have the same list", async () => {
  const { conversations, windows, flush } = open();
  conversations.put(conversation("a"));
  const [first, second] = [new Page(), new Page()];
  await windows.watch(first, recent(5), always);
  conversations.put(conversation("b", { createdAt: 2 }));
  await windows.watch(second, recent(5), always);
  flush();
  expect([first, second].map((page) => page.ids(recent(5)))).toEqual([
    ["a", "b"],
    ["a", "b"],
  ]);
  expect(second.received).toHaveLength(1);
});

test("a single canvas is watched by its id, whether it exists or not", async () => {
  const { canvases, windows, flush } = open();
  const list: List = { of: "canvas", id: "doc/1/1" as BlockId };
  const page = new Page();
  await windows.watch(page, list, always);
  expect(page.received).toMatchObject([{ total: 0, entries: [] }]);
  const canvas = { id: list.id, title: "Plan", createdAt: 1 };
  canvases.put(canvas);
  flush();
  expect(page.ids(list)).toEqual(["doc/1/1"]);
  canvases.delete(canvas);
  flush();
  expect(page.received[2]).toMatchObject({ total: 0, removed: ["doc/1/1"] });
});

test("a change of what no row shows is told to nobody", async () => {
  const { canvases, windows, flush } = open();
  canvases.put({ id: "doc/1/1" as BlockId, title: "Plan", createdAt: 1 });
  const page = new Page();
  await windows.watch(page, { of: "canvases", filter: "", count: 9 }, always);
  canvases.put({ id: "doc/1/1" as BlockId, title: "Plan", createdAt: 1 });
  flush();
  expect(page.received).toHaveLength(1);
});

test("what changes while a list is read is in it", async () => {
  const { conversations, windows } = open();
  const page = new Page();
  const watched = windows.watch(page, recent(5), always);
  conversations.put(conversation("meanwhile"));
  await watched;
  expect(page.ids(recent(5))).toEqual(["meanwhile"]);
});

test("a list that could not be read is read again by the next who asks, and a page that has gone is sent nothing", async () => {
  const { conversations, windows } = open();
  conversations.put(conversation("a"));
  conversations.fails = true;
  const page = new Page();
  await expect(windows.watch(page, recent(5), always)).rejects.toThrow("the store is away");
  conversations.fails = false;
  await windows.watch(page, recent(5), () => false);
  expect(page.received).toEqual([]);
  await windows.watch(page, recent(5), always);
  expect([page.ids(recent(5)), conversations.loads]).toEqual([["a"], 2]);
});

test("after the last watcher has gone nothing is sent", async () => {
  const { conversations, windows, flush } = open();
  const page = new Page();
  await windows.watch(page, recent(5), always);
  windows.unwatch(page, recent(5));
  windows.unwatch(page, recent(5));
  conversations.put(conversation("a"));
  flush();
  expect(page.received).toHaveLength(1);
});

const ids = fc.constantFrom("a", "b", "c", "d", "e", "f", "g");
const lists = fc.record({
  of: fc.constant("conversations" as const),
  archived: fc.boolean(),
  order: fc.constantFrom("created" as const, "updated" as const),
  filter: fc.constantFrom("", "X", "new conv", "x y"),
  count: fc.integer({ min: 1, max: 4 }),
});
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      put: ids,
      title: fc.constantFrom("", "x", "y x", "z"),
      archived: fc.boolean(),
      at: fc.nat(5),
    }),
  },
  { weight: 2, arbitrary: fc.record({ remove: ids }) },
  { weight: 2, arbitrary: fc.constant("flush" as const) },
  { weight: 1, arbitrary: fc.constant("leave" as const) },
  { weight: 2, arbitrary: lists },
);

test("of the lists that nobody watches, the last eight are kept for who comes next", async () => {
  const { conversations, windows } = open();
  conversations.put(conversation("a"));
  const page = new Page();
  for (let index = 0; index < 20; index += 1) {
    const list: List = { of: "conversations", archived: false, order: "updated", filter: `f${index}`, count: 5 };
    await windows.watch(page, list, () => true);
    windows.unwatch(page, list);
  }
  let looked = 0;
  const entry = conversation("b");
  // Each list that is kept looks at a new entry once.
  Object.defineProperty(entry, "archived", {
    get: () => {
      looked += 1;
      return false;
    },
  });
  conversations.put(entry);
  expect(looked).toBe(8);
});

test("after any changes a page holds exactly the first entries that match", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { conversations, windows, flush } = open();
      const page = new Page();
      const watched: List[] = [];
      for (const each of steps) {
        if (each === "flush") flush();
        else if (each === "leave") {
          // A list that nobody watches is kept for a while, and must be right for who comes next.
          for (const list of watched.splice(0)) windows.unwatch(page, list);
        } else if ("of" in each) {
          await windows.watch(page, each, always);
          watched.push(each);
        } else if ("put" in each) {
          const { put, title, archived, at } = each;
          const createdAt = put.charCodeAt(0) % 3;
          conversations.put(conversation(put, { title, archived, createdAt, updatedAt: at }));
        } else {
          const known = conversations.byId.get(each.remove);
          if (known !== undefined) conversations.delete(known);
        }
      }
      flush();
      for (const list of watched) {
        if (list.of !== "conversations") continue;
        const words = list.filter.toLowerCase().split(" ");
        const expected = [...conversations.byId.values()]
          .filter((entry) => entry.archived === list.archived)
          .filter((entry) => words.every((word) => conversationTitle(entry).toLowerCase().includes(word)))
          .toSorted(orders[list.order]);
        expect(page.ids(list)).toEqual(
          expected
            .slice(0, list.count)
            .map(({ id }) => id)
            .toSorted(),
        );
        expect(page.received.findLast((message) => listKey(message.list) === listKey(list))?.total).toBe(
          expected.length,
        );
      }
    }),
    { numRuns: scaled(300) },
  );
});

test("canvases are listed newest first", () => {
  const at = (id: string, createdAt: number): CanvasSummary => ({ id: id as BlockId, title: id, createdAt });
  expect([at("a", 1), at("c", 2), at("b", 2)].toSorted(orders.created).map(({ id }) => id)).toEqual(["c", "b", "a"]);
});

test("a list of canvases shows one folder, what is pinned first, and nothing archived", async () => {
  const { canvases, windows, flush } = open();
  const put = (id: string, change: Partial<CanvasSummary> = {}): void =>
    canvases.put({ id: id as BlockId, title: id, createdAt: id.charCodeAt(0), ...change });
  put("a");
  put("b", { folderPath: "Plans" });
  put("c", { folderPath: "Plans", pinned: true });
  put("d", { folderPath: "Plans/2026" });
  put("e", { folderPath: "Plans", archived: true });
  const page = new Page();
  const shown = async (list: Partial<Extract<List, { readonly of: "canvases" }>>): Promise<readonly string[]> => {
    await windows.watch(page, { of: "canvases", filter: "", count: 9, ...list }, always);
    return page.received.at(-1)?.entries.map(({ id }) => id) ?? [];
  };
  expect(await shown({})).toEqual(["c", "d", "b", "a"]);
  expect(await shown({ folderPath: "" })).toEqual(["a"]);
  expect(await shown({ folderPath: "Plans", order: "title" })).toEqual(["c", "b"]);
  expect(await shown({ archived: true })).toEqual(["e"]);
  await windows.watch(page, { of: "canvas-folders" }, always);
  expect(page.received.at(-1)?.entries.map(({ id }) => id)).toEqual(["Plans", "Plans/2026"]);
  put("d", { folderPath: "Home" });
  flush();
  const folders = page.received.findLast(({ list }) => list.of === "canvas-folders");
  expect(folders).toMatchObject({ whole: false, total: 2, removed: ["Plans/2026"] });
});

test("a list of conversations shows those with a tag", async () => {
  const { conversations, windows } = open();
  conversations.put(conversation("a", { tags: ["tea"] }));
  conversations.put(conversation("b", { tags: ["tea", "work"], pinned: true }));
  conversations.put(conversation("c"));
  const page = new Page();
  const list = { of: "conversations", archived: false, order: "created", filter: "", count: 9, tag: "tea" } as const;
  await windows.watch(page, list, always);
  expect(page.received[0]?.entries.map(({ id }) => id)).toEqual(["b", "a"]);
});
