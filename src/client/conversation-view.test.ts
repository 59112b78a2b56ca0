import fc from "fast-check";
import { expect, test } from "vitest";
import type { BlockId, NodeId, RootId, RunId, TurnId } from "../core/base/ids.ts";
import type { BlockHeader } from "../core/block/types.ts";
import type { ForestNode, ForestRoot } from "../core/forest/types.ts";
import type { FeedRecord, RunFeedBody } from "../core/turn/feed.ts";
import {
  withLiveBlock,
  withLiveChange,
  withRecord,
  withSnapshot,
  type ConversationState,
} from "./conversation-view.ts";

const rootId = "root_1" as RootId;
const runId = "run_1" as RunId;
const live = "root_1/2/1" as BlockId;

const root: ForestRoot = {
  id: rootId,
  slug: "talk",
  title: "Talk",
  systemPrompt: "",
  model: "scripted/scribe",
  canvasId: null,
  cwd: "",
  archived: false,
  createdAt: 0,
  updatedAt: 0,
};

function node(number: number, parent: number | null): ForestNode {
  return {
    id: `node_${number}` as NodeId,
    rootId,
    parentId: parent === null ? null : (`node_${parent}` as NodeId),
    prefixHash: String(number),
    message: { role: "user", content: [{ type: "text", text: `message ${number}` }] },
    actor: { type: "person", id: "person_1" as never, name: "Ada" },
    runId: null,
    turnId: null,
    usage: null,
    createdAt: number,
  };
}

function running(liveBlocks: readonly BlockId[]): RunFeedBody {
  return {
    type: "run-changed",
    runId,
    headNodeId: null,
    turnId: "turn_1" as TurnId,
    state:
      liveBlocks.length > 0 ? { type: "requesting", attempt: 1, retryAt: null, lastFailure: null } : { type: "idle" },
    queued: false,
    liveBlocks,
  };
}

function record(seq: number, body: RunFeedBody): FeedRecord {
  return { rootId, seq, at: seq, body };
}

function empty(seq = 0): ConversationState {
  return withSnapshot(null, { type: "conversation-snapshot", rootId, seq, root, nodes: [], runs: [] });
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

test("S-41: however often and in whatever overlap a feed comes again, the view is that of the feed once", () => {
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

test("S-41: an entry already seen gives the very same state", () => {
  const state = after(empty(), record(1, { type: "node-added", node: node(1, null) }));
  expect(withRecord(state, record(1, { type: "node-added", node: node(1, null) }))).toBe(state);
});

test("an entry after a missing one is not taken, so that the conversation is joined anew", () => {
  expect(withRecord(empty(), record(2, running([])))).toBeUndefined();
});

test("S-41: a snapshot older than what is shown does not lower the watermark", () => {
  const state = after(empty(), record(1, running([])), record(2, { type: "node-added", node: node(1, null) }));
  const older = { type: "conversation-snapshot", rootId, seq: 1, root, nodes: [], runs: [] } as const;
  expect(withSnapshot(state, older)).toBe(state);
});

test("children stand in the order in which they came, a branch beside its sibling", () => {
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

test("S-43: the message replaces the streamed text in one step, without a moment in which both or neither is there", () => {
  let state = after(empty(), record(1, running([live])));
  state = withLiveBlock(state, header(1), "Hel");
  expect(state.view.runs[0]?.liveBlocks.map((block) => block.text)).toEqual(["Hel"]);
  const done = after(state, record(2, { type: "node-added", node: node(1, null) }), record(3, running([])));
  expect(done.view.runs[0]?.liveBlocks).toEqual([]);
  expect(done.view.nodesById.size).toBe(1);
  expect(done.liveBlocksById.size).toBe(0);
});

test("S-43: a late change of a block that is no longer live is not shown", () => {
  const state = after(empty(), record(1, running([])));
  const change = { blockId: live, version: 9, at: 1, what: { type: "status", status: "done" } } as never;
  expect(withLiveChange(state, change, "late")).toBe(state);
});

test("a run that did not change keeps its object, so that what shows it need not be drawn again", () => {
  const state = withLiveBlock(after(empty(), record(1, running([live]))), header(1), "Hel");
  const next = after(state, record(2, { type: "node-added", node: node(1, null) }));
  expect(next.view.runs[0]).toBe(state.view.runs[0]);
});
