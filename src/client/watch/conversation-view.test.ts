import fc from "fast-check";
import { expect, test } from "vitest";
import type { BlockId, NodeId, RunId, TurnId } from "../../core/base/ids.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import type { Bookmark, ForestNode } from "../../core/forest/types.ts";
import type { FeedRecord, RunFeedBody } from "../../core/turn/state/feed.ts";
import {
  withLiveBlock,
  withLiveChange,
  withRecord,
  withSnapshot,
  type ConversationState,
  type TreeDraft,
} from "./conversation-view.ts";
import { node, root, rootId } from "./conversation.test-support.ts";

const runId = "run_1" as RunId;
const live = "root_1/2/1" as BlockId;
const progress = { rounds: 0, asking: "reply" } as const;

function running(liveBlocks: readonly BlockId[]): RunFeedBody {
  return {
    type: "run-changed",
    runId,
    headNodeId: null,
    turnId: "turn_1" as TurnId,
    state:
      liveBlocks.length > 0
        ? { type: "requesting", attempt: 1, retryAt: null, lastFailure: null, progress }
        : { type: "idle" },
    since: 1,
    contextUsed: null,
    model: "scripted/scribe",
    queued: false,
    liveBlocks,
  };
}

function record(seq: number, body: RunFeedBody): FeedRecord {
  return { rootId, seq, at: seq, body };
}

function empty(seq = 0): ConversationState {
  return withSnapshot(null, {
    type: "conversation-snapshot",
    rootId,
    seq,
    root,
    nodes: [],
    runs: [],
    waiting: [],
    bookmarks: [],
  });
}

function header(version: number): BlockHeader {
  return {
    id: live,
    documentId: "root_1" as never,
    parentId: null,
    role: "assistant",
    kind: "text",
    status: "running",
    version,
    metadata: {},
    collapsed: false,
    excluded: false,
    createdAt: 0,
    updatedAt: 0,
  };
}

function after(state: ConversationState, ...records: readonly FeedRecord[]): ConversationState {
  let next = state;
  for (const each of records) {
    const taken = withRecord(next, each);
    if (taken === undefined) throw new Error(`entry ${each.seq} does not follow`);
    next = taken;
  }
  return next;
}

test("S-41 a feed whose entries are repeated and overlap gives the same view as the feed once", () => {
  const bodies = fc.array(
    fc.oneof(
      fc.constant<RunFeedBody>({ type: "notice", runId, text: "note" }),
      fc.constant(running([])),
      fc.constant(running([live])),
      fc.nat({ max: 50 }).map<RunFeedBody>((number) => ({ type: "node-added", node: node(number, null) })),
    ),
    { maxLength: 20 },
  );
  fc.assert(
    fc.property(bodies, fc.array(fc.nat({ max: 20 })), (all, restarts) => {
      const records = all.map((body, index) => record(index + 1, body));
      const once = after(empty(), ...records);
      let state = empty();
      for (const [index, each] of records.entries()) {
        state = after(state, each);
        if (restarts.includes(index)) state = after(state, ...records.slice(0, index + 1));
      }
      expect(state).toEqual(once);
    }),
  );
});

test("S-41 withRecord returns the same state for an entry already applied", () => {
  const state = after(empty(), record(1, { type: "node-added", node: node(1, null) }));
  expect(withRecord(state, record(1, { type: "node-added", node: node(1, null) }))).toBe(state);
});

test("withRecord returns undefined when an entry is missing before the next one", () => {
  expect(withRecord(empty(), record(2, running([])))).toBeUndefined();
});

test("S-41 withSnapshot ignores a snapshot older than the view", () => {
  const state = after(empty(), record(1, running([])), record(2, { type: "node-added", node: node(1, null) }));
  const older = {
    type: "conversation-snapshot",
    rootId,
    seq: 1,
    root,
    nodes: [],
    runs: [],
    waiting: [],
    bookmarks: [],
  } as const;
  expect(withSnapshot(state, older)).toBe(state);
});

test("childrenByParent lists children in the order added, branches beside their siblings", () => {
  const state = after(
    empty(),
    ...[node(1, null), node(2, 1), node(3, 1), node(4, 2)].map((each, index) =>
      record(index + 1, { type: "node-added", node: each }),
    ),
  );
  expect(state.view.childrenByParent.get(null)).toEqual(["node_1"]);
  expect(state.view.childrenByParent.get("node_1" as NodeId)).toEqual(["node_2", "node_3"]);
  expect(state.view.childrenByParent.get("node_2" as NodeId)).toEqual(["node_4"]);
});

test("S-43 a finished message replaces its streamed text in one step", () => {
  let state = after(empty(), record(1, running([live])));
  state = withLiveBlock(state, header(1), "Hel");
  expect(state.view.runs[0]?.liveBlocks.map((block) => block.text)).toEqual(["Hel"]);
  const done = after(state, record(2, { type: "node-added", node: node(1, null) }), record(3, running([])));
  expect(done.view.runs[0]?.liveBlocks).toEqual([]);
  expect(done.view.nodesById.size).toBe(1);
  expect(done.liveBlocksById.size).toBe(0);
});

test("S-43 withLiveChange ignores a late change of a block that is no longer live", () => {
  const state = after(empty(), record(1, running([])));
  const change = { blockId: live, version: 9, at: 1, body: { type: "status", status: "done" } } as never;
  expect(withLiveChange(state, change, "late")).toBe(state);
});

test("an unchanged run keeps its object, so that its view is not rendered again", () => {
  const state = withLiveBlock(after(empty(), record(1, running([live]))), header(1), "Hel");
  const next = after(state, record(2, { type: "node-added", node: node(1, null) }));
  expect(next.view.runs[0]).toBe(state.view.runs[0]);
});

function bookmark(title: string, number: number | null): Bookmark {
  const nodeId = number === null ? null : (`node_${number}` as NodeId);
  return { title, rootId, nodeId, createdAt: 0, updatedAt: 0 };
}

test("changed, moved and removed nodes lead to the same view as a snapshot of the same tree", () => {
  type Change = { readonly op: "add" | "move" | "remove"; readonly at: number; readonly to: number };
  const changes = fc.array(
    fc.record<Change>({
      op: fc.constantFrom("add", "add", "move", "remove"),
      at: fc.nat({ max: 9 }),
      to: fc.nat({ max: 9 }),
    }),
    { maxLength: 25 },
  );
  fc.assert(
    fc.property(changes, (all) => {
      // The model: nodes in the order created. The parent of a node is an older node, or none.
      const stored = new Map<NodeId, ForestNode>();
      const bodies: RunFeedBody[] = [];
      for (const [index, { op, at, to }] of all.entries()) {
        const older = [...stored.values()].at(to - 10);
        const chosen = [...stored.values()][at];
        if (op === "add") {
          const made = { ...node(index, null), parentId: older?.id ?? null };
          stored.set(made.id, made);
          bodies.push({ type: "node-added", node: made });
        } else if (op === "move" && chosen !== undefined) {
          const keys = [...stored.keys()];
          const parentId = older !== undefined && keys.indexOf(older.id) < at ? older.id : null;
          const moved = { ...chosen, parentId, prefixHash: `${chosen.prefixHash}'` };
          stored.set(moved.id, moved);
          bodies.push({ type: "node-changed", node: moved });
        } else if (op === "remove" && chosen !== undefined) {
          const ids = new Set([chosen.id]);
          for (const { id, parentId } of stored.values()) if (parentId !== null && ids.has(parentId)) ids.add(id);
          for (const id of ids) stored.delete(id);
          bodies.push({ type: "nodes-removed", ids: [...ids] });
        }
      }
      const state = after(empty(), ...bodies.map((body, index) => record(index + 1, body)));
      const snapshot = { ...empty().view, seq: bodies.length, nodes: [...stored.values()] };
      const fresh = withSnapshot(null, { type: "conversation-snapshot", rootId, ...snapshot, runs: [], waiting: [] });
      expect(new Map(state.view.childrenByParent)).toEqual(new Map(fresh.view.childrenByParent));
      expect([...state.view.nodesById]).toEqual([...fresh.view.nodesById]);
    }),
  );
});

test("bookmarks are set, moved, renamed and removed, sorted by title", () => {
  const bookmarkChanged = (title: string, mark: Bookmark | null): RunFeedBody => ({
    type: "bookmark-changed",
    title,
    bookmark: mark,
  });
  const state = after(
    empty(),
    record(1, { type: "node-added", node: node(1, null) }),
    record(2, bookmarkChanged("b", bookmark("b", 1))),
    record(3, bookmarkChanged("c", bookmark("c", null))),
    record(4, bookmarkChanged("a", bookmark("a", 1))),
    record(5, bookmarkChanged("b", bookmark("b", null))),
  );
  expect(state.view.bookmarks).toEqual([bookmark("a", 1), bookmark("b", null), bookmark("c", null)]);
  const removed = after(
    state,
    record(6, bookmarkChanged("c", null)),
    record(7, { type: "nodes-removed", ids: [node(1, null).id] }),
  );
  expect(removed.view.bookmarks).toEqual([bookmark("b", null)]);
});

test("ten thousand changed messages in one batch cost a few copies of the tree, not one each", () => {
  const all = Array.from({ length: 10_000 }, (_, at) => node(at, at === 0 ? null : at - 1));
  const state = withSnapshot(null, {
    type: "conversation-snapshot",
    rootId,
    seq: 0,
    root,
    nodes: all,
    runs: [],
    waiting: [],
    bookmarks: [],
  });
  const records = all.map((each, at) =>
    record(at + 1, { type: "node-changed", node: { ...each, prefixHash: `${at}'` } }),
  );
  const startedAt = performance.now();
  const draft: TreeDraft = { tree: null };
  let next = state;
  for (const each of records) next = withRecord(next, each, draft) ?? next;
  // A copy for each message would be a hundred million entries, which takes minutes.
  expect(performance.now() - startedAt).toBeLessThan(2_000);
  expect([...next.view.nodesById.values()].every((each) => each.prefixHash.endsWith("'"))).toBe(true);
  expect(state.view.nodesById.get("node_1" as NodeId)?.prefixHash).toBe("1");
});
