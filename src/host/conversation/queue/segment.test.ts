import { describe, expect, test } from "vitest";
import { openMemoryStore } from "../../../adapters/storage/memory/open-memory-store.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import type { Store } from "../../../core/port/store.ts";
import { node, nodeId, root, rootId } from "../../../testing/store/records.ts";
import { segmentOf, wholeIfSmall } from "./segment.ts";

const chain = (length: number): readonly ForestNode[] =>
  Array.from({ length }, (_, depth) =>
    node(String(depth), { parentId: depth === 0 ? null : nodeId(String(depth - 1)), prefixHash: String(depth) }),
  );

async function storeWith(nodes: readonly ForestNode[]): Promise<Store> {
  const store = openMemoryStore();
  await store.commit([
    { type: "put-root", root: root("a") },
    { type: "put-root", root: root("b") },
  ]);
  await store.commit(nodes.map((each) => ({ type: "put-node", node: each })));
  return store;
}

const wish = { nodeId: null, end: "leaf", messages: 120, bytes: 1_000_000 } as const;

describe("segmentOf", () => {
  test("is the end of the newest path, with the number of messages above", async () => {
    const path = chain(300);
    const store = await storeWith(path);
    const segment = await segmentOf(store, rootId("a"), wish);
    expect(segment).toEqual({ tipId: nodeId("299"), nodes: path.slice(180), above: 180, childCounts: [] });
    const higher = await segmentOf(store, rootId("a"), { ...wish, nodeId: nodeId("179"), end: "here" });
    expect(higher.nodes).toEqual(path.slice(60, 180));
    // The page that asked holds the child already.
    expect(higher.childCounts).toEqual([{ parentId: nodeId("179"), count: 1 }]);
    const highest = await segmentOf(store, rootId("a"), { ...wish, nodeId: nodeId("59"), end: "here" });
    expect(highest).toMatchObject({ above: 0, nodes: path.slice(0, 60) });
  });

  test("is within its bytes, and holds at least one message", async () => {
    const path = chain(200);
    const store = await storeWith(path);
    const each = JSON.stringify(path.at(-1)).length;
    const some = await segmentOf(store, rootId("a"), { ...wish, bytes: 70 * each });
    expect(some.nodes.length).toBeGreaterThan(65);
    expect(JSON.stringify(some.nodes).length).toBeLessThanOrEqual(72 * each);
    const one = await segmentOf(store, rootId("a"), { ...wish, bytes: 1 });
    expect(one.nodes).toEqual(path.slice(-1));
  });

  test("of many siblings it holds the newest, and says how many there are", async () => {
    const siblings = Array.from({ length: 500 }, (_, index) => node(`s${index}`, { parentId: nodeId("0") }));
    const store = await storeWith([...chain(2), ...siblings, node("below", { parentId: nodeId("s499") })]);
    const segment = await segmentOf(store, rootId("a"), { ...wish, nodeId: nodeId("1") });
    expect(segment.nodes.map(({ id }) => id)).toEqual([
      ...chain(2).map(({ id }) => id),
      ...siblings.slice(-20).map(({ id }) => id),
    ]);
    expect(segment.childCounts).toEqual([
      { parentId: nodeId("0"), count: 501 },
      { parentId: nodeId("s499"), count: 1 },
    ]);
  });

  test("a message that is gone, or of another conversation, gives the newest path; an empty conversation gives nothing", async () => {
    const store = await storeWith([...chain(3), node("foreign", { rootId: rootId("b") })]);
    for (const name of ["gone", "foreign"]) {
      const segment = await segmentOf(store, rootId("a"), { ...wish, nodeId: nodeId(name), end: "here" });
      expect(segment.tipId).toBe(nodeId("2"));
    }
    const empty = await segmentOf(store, rootId("empty"), wish);
    expect(empty).toEqual({ tipId: null, nodes: [], above: 0, childCounts: [] });
  });
});

test("a conversation is sent whole up to twice a segment", async () => {
  const store = await storeWith(chain(240));
  expect(await wholeIfSmall(store, rootId("a"), wish)).toHaveLength(240);
  expect(await wholeIfSmall(store, rootId("a"), { ...wish, messages: 119 })).toBeNull();
  expect(await wholeIfSmall(store, rootId("a"), { ...wish, bytes: 10_000 })).toBeNull();
});
