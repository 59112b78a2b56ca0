import { expect, test } from "vitest";
import type { BlockId } from "../../core/base/ids.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import type { FeedRecord } from "../../core/turn/state/feed.ts";
import { node, root, rootId, runIn } from "./conversation.test-support.ts";
import { watchConversation } from "./conversation-watch.ts";
import { createBatch, createCell } from "../base/observable.ts";

const platform = { setTimer: () => () => {} };
const snapshot = {
  type: "conversation-snapshot",
  rootId,
  seq: 0,
  root,
  nodes: [],
  runs: [],
  waiting: [],
  bookmarks: [],
} as const;

function added(seq: number): FeedRecord {
  return { rootId, seq, at: seq, body: { type: "node-added", node: node(seq, null) } };
}

test("a conversation shows the snapshot of a restarted server even when it is shorter, and follows it", () => {
  const sent: unknown[] = [];
  const send = (message: unknown): void => void sent.push(message);
  const watch = watchConversation({ rootId, batch: createBatch(), platform, decode: () => undefined, send });
  watch.view.subscribe(() => {});
  const nodes = [node(1, null), node(2, null), node(3, null)];
  watch.snapshot({ ...snapshot, seq: 7, nodes });
  // An older snapshot on the same connection came late (S-41).
  watch.snapshot({ ...snapshot, seq: 5, nodes: nodes.slice(0, 1) });
  expect(watch.view.get()?.nodesById.size).toBe(3);
  watch.live(true);
  expect(sent.at(-1)).toEqual({ type: "watch-conversation", rootId, afterSeq: 0 });
  watch.snapshot({ ...snapshot, seq: 5, nodes: nodes.slice(0, 1) });
  expect(watch.view.get()).toMatchObject({ seq: 5, nodesById: { size: 1 } });
  watch.feed({ type: "feed", record: added(6) });
  expect(watch.view.get()?.nodesById.size).toBe(2);
});

test("a reply whose text cannot be decoded is requested again after a delay, not at once", () => {
  const sent: unknown[] = [];
  const timers: (() => void)[] = [];
  const watch = watchConversation({
    rootId,
    batch: createBatch(),
    platform: { setTimer: (_ms, callback) => (timers.push(callback), () => {}) },
    decode: () => undefined,
    send: (message) => void sent.push(message),
  });
  watch.view.subscribe(() => {});
  const header = { id: "reply_1" as BlockId } as BlockHeader;
  const run = { type: "run-changed", ...runIn({ type: "idle" }), liveBlocks: [header.id] } as const;
  for (let round = 1; round <= 3; round += 1) {
    watch.snapshot({ ...snapshot, runs: [run] });
    watch.blockSnapshot({ type: "block-snapshot", header, text: "AA==", hash: "", replicas: [] });
    expect([sent.length, timers.length]).toEqual([round, 1]);
    timers.shift()?.();
  }
});

test("a subscriber sees all changes of a frame together, in whatever order the messages came", () => {
  const batch = createBatch();
  const watch = watchConversation({ rootId, batch, platform, decode: () => undefined, send: () => {} });
  const other = createCell(0, batch);
  watch.snapshot(snapshot);
  const seen: unknown[] = [];
  const look = (): void => void seen.push([watch.view.get()?.seq, watch.view.get()?.nodesById.size, other.get()]);
  watch.view.subscribe(look);
  other.subscribe(look);
  const before = watch.view.get();
  batch.run(() => {
    watch.snapshot({ ...snapshot, root: { ...root, title: "Another" } });
    watch.feed({ type: "feed", record: added(1) });
    other.set(1);
    watch.feed({ type: "feed", record: added(2) });
  });
  expect(seen).toEqual([
    [2, 2, 1],
    [2, 2, 1],
  ]);
  // A view that a subscriber has seen does not change.
  const first = watch.view.get();
  batch.run(() => watch.feed({ type: "feed", record: added(3) }));
  expect([before?.nodesById.size, first?.nodesById.size, watch.view.get()?.nodesById.size]).toEqual([0, 2, 3]);
});
