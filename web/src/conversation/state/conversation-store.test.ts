import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { node, runIn } from "../../../../src/client/watch/conversation.test-support.ts";
import { createBatch, createCell } from "../../../../src/client/base/observable.ts";
import type { ConversationView } from "../../../../src/client/base/types.ts";
import type { NodeId, RootId } from "../../../../src/core/base/ids.ts";
import { goTo } from "../../view/branches/path.ts";
import { viewOf, writing } from "./conversation.test-support.ts";
import { ConversationStore } from "./conversation-store.ts";
import type { ConversationState } from "./conversation-state.ts";
import { keptView } from "../kept/kept-view.ts";

let roots = 0;

function opened() {
  const cell = createCell<ConversationView | null>(null, createBatch());
  const kept = keptView(`root_store_${(roots += 1)}` as RootId);
  const store = new ConversationStore(cell, kept);
  store.open();
  const heard = vi.fn();
  const stop = store.subscribe(heard);
  const show = (view: ConversationView): void => {
    cell.set(view);
    vi.advanceTimersByTime(100);
  };
  return { cell, kept, store, heard, stop, show };
}

const ids = ({ path }: ConversationState): readonly string[] => path.map(({ id }) => id);
const question = node(1, null);

beforeEach(() => {
  vi.useFakeTimers({ now: 5_000 });
});

afterEach(() => {
  vi.useRealTimers();
});

test("a streamed token changes the live blocks and nothing else", () => {
  const { store, show } = opened();
  const view = viewOf([question]);
  show({ ...view, runs: [writing(question.id, "Hel")] });
  const before = store.get();
  show({ ...view, runs: [writing(question.id, "Hello")] });
  const after = store.get();
  const names = Object.keys(after) as (keyof ConversationState)[];
  expect(names.filter((name) => after[name] !== before[name])).toEqual(["liveBlocks"]);
  expect(after.liveBlocks[0]?.text).toBe("Hello");
});

test("an equal view gives the same state and notifies nobody", () => {
  const { store, show, heard } = opened();
  const view = viewOf([question]);
  show(view);
  const before = store.get();
  heard.mockClear();
  show({ ...view });
  expect(store.get()).toBe(before);
  expect(heard).not.toHaveBeenCalled();
});

test("tokens that arrive faster than the render interval are shown together", () => {
  const { store, cell, show, heard } = opened();
  const view = viewOf([question]);
  show(view);
  heard.mockClear();
  for (let length = 1; length <= 20; length += 1) {
    cell.set({ ...view, runs: [writing(question.id, "x".repeat(length))] });
    vi.advanceTimersByTime(2);
  }
  vi.advanceTimersByTime(100);
  expect(heard.mock.calls.length).toBeLessThanOrEqual(3);
  expect(store.get().liveBlocks[0]?.text).toHaveLength(20);
});

test("the path grows with the conversation, and the chosen branch is remembered", () => {
  const { store, kept, show } = opened();
  show(viewOf([question, node(2, 1)]));
  expect(ids(store.get())).toEqual(["node_1", "node_2"]);
  const view = viewOf([question, node(2, 1), node(3, 1)]);
  show(view);
  expect(ids(store.get())).toEqual(["node_1", "node_2"]);
  store.choose(goTo(view, store.get().selection, "node_3" as NodeId));
  expect(ids(store.get())).toEqual(["node_1", "node_3"]);
  expect(kept.selection.get().tipId).toBe("node_3");
});

test("the end of the shown branch counts as seen", () => {
  const { store, kept, show } = opened();
  show(viewOf([question]));
  expect(store.get().seen.atByNode).toMatchObject({ node_1: 5_000 });
  expect(kept.seen.get().atByNode).toMatchObject({ node_1: 5_000 });
});

test("a run started by this page is followed to its head", () => {
  const { store, show } = opened();
  show(viewOf([question, node(2, 1)]));
  const aside = runIn({ type: "idle" }, { headNodeId: "node_3" as NodeId });
  store.follow(aside.runId);
  show(viewOf([question, node(2, 1), node(3, 1)], [aside]));
  expect(ids(store.get())).toEqual(["node_1", "node_3"]);
  expect(store.get().run?.runId).toBe(aside.runId);
});

test("open restores the stored state for a new visit and does nothing during one", () => {
  const { store, kept, show, stop } = opened();
  const view = viewOf([question, node(2, 1), node(3, 1)]);
  show(view);
  store.setBusy(true);
  store.open();
  expect(store.get().busy).toBe(true);
  stop();
  kept.selection.set(goTo(view, store.get().selection, "node_2" as NodeId));
  store.open();
  expect(store.get().busy).toBe(false);
  expect(ids(store.get())).toEqual(["node_1", "node_2"]);
});

test("the store watches the server only while it has subscribers", () => {
  const { store, cell, stop } = opened();
  stop();
  const before = store.get();
  cell.set(viewOf([question]));
  expect(store.get()).toBe(before);
  const stopAgain = store.subscribe(() => {});
  expect(ids(store.get())).toEqual(["node_1"]);
  stopAgain();
});
