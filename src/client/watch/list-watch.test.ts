import { expect, test } from "vitest";
import { refusal } from "../../core/base/errors.ts";
import type { BlockId } from "../../core/base/ids.ts";
import type { CanvasSummary, List } from "../../core/forest/list.ts";
import { listKey } from "../../core/forest/list.ts";
import type { UpMessage } from "../../core/protocol/base/messages.ts";
import { createBatch } from "../base/observable.ts";
import { ListWatches } from "./list-watch.ts";

const list: List = { of: "canvases", filter: "", count: 2 };

function open() {
  const sent: UpMessage[] = [];
  const timers: (() => void)[] = [];
  const watches = new ListWatches({
    batch: createBatch(),
    platform: {
      setTimer: (_delayMs, callback) => {
        timers.push(callback);
        return () => void timers.splice(timers.indexOf(callback), 1);
      },
    },
    send: (message) => void sent.push(message),
  });
  return { watches, timers, types: () => sent.map(({ type }) => type) };
}

const canvas = (id: string, createdAt: number, title = id): CanvasSummary => ({ id: id as BlockId, title, createdAt });

test("a list is watched from its first subscriber to its last, and asked for again after a cut", () => {
  const { watches, types } = open();
  const view = watches.view(list);
  expect(types()).toEqual([]);
  const stops = [view.subscribe(() => {}), watches.view(list).subscribe(() => {})];
  expect(types()).toEqual(["watch-list"]);
  watches.cut();
  watches.live();
  expect(types()).toEqual(["watch-list", "watch-list"]);
  for (const stop of stops) stop();
  expect(types()).toEqual(["watch-list", "watch-list", "unwatch-list"]);
});

test("a list that is shown again while the connection is lost holds what it held, until the server sends it", () => {
  const { watches } = open();
  const entries = [canvas("a", 1)];
  const message = { type: "list", list, whole: true, removed: [] } as const;
  const stop = watches.view(list).subscribe(() => {});
  watches.take({ ...message, total: 1, entries });
  stop();
  // The server would send it again.
  expect(watches.view(list).get()).toBeNull();
  watches.cut();
  const view = watches.view(list);
  expect(view.get()).toEqual({ total: 1, entries });
  view.subscribe(() => {});
  watches.live();
  watches.take({ ...message, total: 1, entries: [canvas("b", 2)] });
  expect(view.get()).toEqual({ total: 1, entries: [canvas("b", 2)] });
});

test("what lists held is shown while the connection is lost alone, and of the last sixteen lists", () => {
  const { watches } = open();
  const lists = Array.from({ length: 17 }, (_, index): List => ({ ...list, filter: `filter ${index}` }));
  for (const each of lists) {
    const stop = watches.view(each).subscribe(() => {});
    watches.take({ type: "list", list: each, whole: true, removed: [], total: 1, entries: [canvas("a", 1)] });
    stop();
  }
  const shown = () => lists.map((each) => watches.view(each).get()?.total ?? null);
  expect(shown()).toEqual(lists.map(() => null));
  watches.cut();
  expect(shown()).toEqual(lists.map((_, index) => (index === 0 ? null : 1)));
  watches.live();
  expect(shown()).toEqual(lists.map(() => null));
});

test("a list shows its entries in order, with what changed and without what left", () => {
  const { watches } = open();
  const view = watches.view(list);
  view.subscribe(() => {});
  expect(view.get()).toBeNull();
  const message = { type: "list", list, whole: true, total: 5, removed: [] } as const;
  watches.take({ ...message, entries: [canvas("a", 1), canvas("b", 2)] });
  expect(view.get()).toEqual({ total: 5, entries: [canvas("b", 2), canvas("a", 1)] });
  watches.take({ ...message, whole: false, total: 6, entries: [canvas("c", 3), canvas("b", 2, "B")], removed: ["a"] });
  expect(view.get()).toEqual({ total: 6, entries: [canvas("c", 3), canvas("b", 2, "B")] });
  watches.take({ ...message, total: 0, entries: [] });
  expect(view.get()).toEqual({ total: 0, entries: [] });
});

test("a view kept while another of the same list was opened and closed still follows", () => {
  const { watches, types } = open();
  const kept = watches.view(list);
  const stop = kept.subscribe(() => {});
  stop();
  const other = watches.view(list);
  const stopOther = other.subscribe(() => {});
  kept.subscribe(() => {});
  watches.take({ type: "list", list, whole: true, total: 1, entries: [canvas("a", 1)], removed: [] });
  expect([kept, other].map((view) => view.get()?.total)).toEqual([1, 1]);
  stopOther();
  expect(types().at(-1)).toBe("watch-list");
});

test("a list that the server could not read is asked for again", () => {
  const { watches, timers, types } = open();
  watches.view(list).subscribe(() => {});
  watches.refused(listKey(list), refusal("STORE_FAILED"));
  expect(timers).toHaveLength(1);
  timers[0]?.();
  expect(types()).toEqual(["watch-list", "watch-list"]);
  watches.refused(listKey(list), refusal("FORBIDDEN"));
  expect(timers).toHaveLength(1);
});

test("a list that the server does not show says why, and keeps what it held until it comes again", () => {
  const { watches } = open();
  const view = watches.view(list);
  view.subscribe(() => {});
  watches.refused(listKey(list), refusal("FORBIDDEN"));
  expect(view.get()).toEqual({ entries: [], total: 0, refused: refusal("FORBIDDEN") });
  const message = { type: "list", list, whole: true, total: 1, entries: [canvas("a", 1)], removed: [] } as const;
  watches.take(message);
  expect(view.get()).toEqual({ entries: [canvas("a", 1)], total: 1 });
  watches.refused(listKey(list), refusal("FORBIDDEN"));
  expect(view.get()).toMatchObject({ entries: [canvas("a", 1)], total: 1, refused: { code: "FORBIDDEN" } });
});
