import { expect, test } from "vitest";
import type { NodeId } from "../../core/base/ids.ts";
import type { ForestNode } from "../../core/forest/types.ts";
import type { FeedRecord } from "../../core/turn/state/feed.ts";
import { seededRandom } from "../../testing/seeded-random.ts";
import type { LoadedSegment } from "./conversation-part.ts";
import { withRecord, withSegment, withSnapshot, type ConversationState } from "./conversation-view.ts";
import { node, root, rootId } from "./conversation.test-support.ts";

/** A server as plain as can be: the nodes in the order of creation, and the feed. */
class PlainServer {
  readonly nodes = new Map<NodeId, ForestNode>();
  readonly feed: FeedRecord[] = [];

  add(number: number, parent: number | null): void {
    const added = node(number, parent);
    this.nodes.set(added.id, added);
    this.#record({ type: "node-added", node: added });
  }

  change(id: NodeId, tag: string): void {
    const known = this.nodes.get(id);
    if (known === undefined) return;
    const changed = { ...known, tags: [tag] };
    this.nodes.set(id, changed);
    this.#record({ type: "node-changed", node: changed });
  }

  remove(id: NodeId): void {
    const ids = [id];
    for (const at of ids) ids.push(...this.children(at).map((child) => child.id));
    for (const each of ids) this.nodes.delete(each);
    this.#record({ type: "nodes-removed", ids });
  }

  children(parentId: NodeId | null): readonly ForestNode[] {
    return [...this.nodes.values()].filter((each) => each.parentId === parentId);
  }

  segment(end: NodeId, messages: number): LoadedSegment {
    const path: ForestNode[] = [];
    for (let at = this.nodes.get(end); at !== undefined; at = this.nodes.get(at.parentId ?? ("" as NodeId))) {
      path.unshift(at);
    }
    const sent = path.slice(-messages);
    const parentIds = [sent[0]?.parentId ?? null, ...sent.map(({ id }) => id)];
    const childCounts = parentIds.flatMap((parentId) => {
      const count = this.children(parentId).length;
      return count > sent.filter((each) => each.parentId === parentId).length ? [{ parentId, count }] : [];
    });
    return { seq: this.feed.length, tipId: end, nodes: sent, above: path.length - sent.length, childCounts };
  }

  #record(body: FeedRecord["body"]): void {
    this.feed.push({ rootId, seq: this.feed.length + 1, at: 0, body });
  }
}

function begun(server: PlainServer, end: NodeId, messages: number): ConversationState {
  const { nodes, seq, ...segment } = server.segment(end, messages);
  return withSnapshot(null, {
    type: "conversation-snapshot",
    rootId,
    seq,
    root,
    nodes,
    segment,
    runs: [],
    waiting: [],
    bookmarks: [],
  });
}

const id = (number: number): NodeId => `node_${number}` as NodeId;
const ofView = ({ view }: ConversationState) => [...view.nodesById.keys()];

test("a long path is shown from its end and grows upward, and knows how many messages are above", () => {
  const server = new PlainServer();
  for (let number = 0; number < 100; number += 1) server.add(number, number === 0 ? null : number - 1);
  let state = begun(server, id(99), 10);
  expect(state.view.part?.aboveById).toEqual(new Map([[id(90), 90]]));
  for (const [end, above] of [
    [89, 80],
    [79, 0],
  ] as const) {
    const next = withSegment(state, server.segment(id(end), above === 0 ? 80 : 10));
    if (next === undefined) throw new Error("nothing has changed");
    state = next;
    expect(state.view.part?.aboveById).toEqual(above === 0 ? new Map() : new Map([[id(above), above]]));
  }
  expect(ofView(state)).toHaveLength(100);
  expect(state.view.part?.childCounts).toEqual(new Map());
});

test("a part that was read before the tree changed is refused, so that it is read again", () => {
  const server = new PlainServer();
  for (let number = 0; number < 20; number += 1) server.add(number, number === 0 ? null : number - 1);
  const state = begun(server, id(19), 5);
  const old = server.segment(id(14), 5);
  server.change(id(12), "new");
  const after = withRecord(state, server.feed.at(-1) ?? (undefined as never));
  if (after === undefined) throw new Error("the entry follows");
  expect(withSegment(after, old)).toBeUndefined();
  expect(withSegment(after, server.segment(id(14), 5))?.view.nodesById.get(id(12))?.tags).toEqual(["new"]);
});

test("whatever is loaded and whatever happens, a view holds what the server holds, and knows where more is", () => {
  for (let seed = 1; seed <= 60; seed += 1) {
    const random = seededRandom(seed);
    const server = new PlainServer();
    for (let number = 0; number < 40; number += 1) {
      server.add(number, number === 0 || random.oneIn(15) ? null : random.below(number));
    }
    const pick = (): NodeId => [...server.nodes.keys()][random.below(server.nodes.size)] ?? id(0);
    let state = begun(server, pick(), 4);
    for (let step = 0; step < 80; step += 1) {
      const sentBefore = server.feed.length;
      const what = random.below(12);
      if (what < 3) server.add(100 + step, Number(pick().slice("node_".length)));
      else if (what < 6) server.change(pick(), `t${step}`);
      else if (what === 6 && server.nodes.size > 10) server.remove(pick());
      else {
        // A client asks again until nothing has changed in between.
        state = withSegment(state, server.segment(pick(), 1 + random.below(6))) ?? state;
      }
      for (const record of server.feed.slice(sentBefore)) state = withRecord(state, record) ?? state;
      const { nodesById, childrenByParent, part, seq } = state.view;
      const where = `seed ${seed}, step ${step}`;
      expect(seq, where).toBe(server.feed.length);
      for (const [at, shown] of nodesById) {
        expect(shown, where).toEqual(server.nodes.get(at));
        const hasParent = shown.parentId === null || nodesById.has(shown.parentId);
        if (!hasParent) expect(childrenByParent.get(shown.parentId), where).toContain(at);
        const here = childrenByParent.get(at) ?? [];
        const all = server.children(at);
        if (all.length > here.length) expect(part?.childCounts.get(at), where).toBeGreaterThanOrEqual(all.length);
        // The feed does not say where removed messages that are not here were: the next segment does.
        else expect(part?.childCounts.get(at) ?? here.length, where).toBeGreaterThanOrEqual(all.length);
      }
    }
  }
});
