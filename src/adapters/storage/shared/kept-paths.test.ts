import { describe, expect, test, vi } from "vitest";
import type { NodeId } from "../../../core/base/ids.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import type { StoreWrite } from "../../../core/port/store.ts";
import { node, nodeId, root, rootId } from "../../../testing/store/records.ts";
import { seededRandom } from "../../../testing/seeded-random.ts";
import { openMemoryStore } from "../memory/open-memory-store.ts";
import { forgetMs, KeptPaths, restBytesMax, restMs } from "./kept-paths.ts";

const chain = (length: number, of = "a"): readonly ForestNode[] =>
  Array.from({ length }, (_, depth) =>
    node(`${of}${depth}`, { rootId: rootId(of), parentId: depth === 0 ? null : nodeId(`${of}${depth - 1}`) }),
  );
const put = (each: ForestNode): StoreWrite => ({ type: "put-node", node: each });

/** Kept paths over a store in memory, which count how often they read. */
async function keptOver(nodes: readonly ForestNode[], bytesMax?: number) {
  const store = openMemoryStore();
  await store.commit([{ type: "put-root", root: root("a") }]);
  await store.commit([{ type: "put-root", root: root("b") }]);
  await store.commit(nodes.map(put));
  const reads: NodeId[] = [];
  let during = async (): Promise<void> => {};
  const read = async (id: NodeId): Promise<readonly ForestNode[]> => {
    reads.push(id);
    const path = await store.path(id);
    await during();
    return path;
  };
  const kept = new KeptPaths(read, bytesMax);
  const commit = async (...writes: readonly StoreWrite[]): Promise<void> => {
    const committed = await store.commit(writes);
    if (!committed.ok) throw new Error(committed.error.code);
    kept.committed(writes);
  };
  return { store, kept, reads, commit, whileReading: (job: () => Promise<void>) => void (during = job) };
}

describe("KeptPaths", () => {
  test("a path is read once; what is added below it, and a branch of it, is not read again", async () => {
    const { store, kept, reads, commit } = await keptOver(chain(5));
    expect(await kept.path(nodeId("a4"))).toEqual(chain(5));
    await commit(put(node("below", { parentId: nodeId("a4") })), put(node("lower", { parentId: nodeId("below") })));
    await commit(put(node("branch", { parentId: nodeId("a1") })));
    for (const name of ["a4", "below", "lower", "branch", "a1", "a0"]) {
      expect(await kept.path(nodeId(name))).toEqual(await store.path(nodeId(name)));
    }
    expect(reads).toEqual([nodeId("a4")]);
  });

  test("a change that was committed while a path was read is in the next answer", async () => {
    const { kept, commit, whileReading } = await keptOver(chain(3));
    const changed = node("a1", { parentId: nodeId("a0"), tags: ["new"] });
    whileReading(() => commit(put(changed)));
    await kept.path(nodeId("a2"));
    whileReading(async () => {});
    expect((await kept.path(nodeId("a2")))[1]).toEqual(changed);
  });

  test("a change that was committed while a long path was being kept is in the next answer, and others work meanwhile", async () => {
    const { kept, commit, whileReading, reads } = await keptOver(chain(5_000));
    const changed = node("a1", { parentId: nodeId("a0"), tags: ["new"] });
    const order: string[] = [];
    whileReading(async () => void setImmediate(() => void commit(put(changed)).then(() => order.push("committed"))));
    await kept.path(nodeId("a4999")).then(() => order.push("read"));
    whileReading(async () => {});
    expect(order).toEqual(["committed", "read"]);
    expect((await kept.path(nodeId("a4999")))[1]).toEqual(changed);
    await kept.path(nodeId("a4999"));
    expect(reads).toHaveLength(2);
  });

  test("what nobody used for a minute leaves memory, beyond what may rest there", async () => {
    vi.useFakeTimers();
    try {
      const long = { type: "text", text: "x".repeat(restBytesMax / 2) } as const;
      const nodes = ["a", "b"].flatMap((of) =>
        chain(2, of).map((each) => ({ ...each, message: { role: "user", content: [long] } }) as const),
      );
      const { kept, reads } = await keptOver(nodes);
      await kept.path(nodeId("a1"));
      await vi.advanceTimersByTimeAsync(restMs - 1_000);
      await kept.path(nodeId("b1"));
      await vi.advanceTimersByTimeAsync(2_000);
      await kept.path(nodeId("b1"));
      expect(reads).toEqual([nodeId("a1"), nodeId("b1")]);
      await kept.path(nodeId("a1"));
      expect(reads).toEqual([nodeId("a1"), nodeId("b1"), nodeId("a1")]);
      await vi.advanceTimersByTimeAsync(forgetMs + 2 * restMs);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test("19.15 what nobody used for three minutes leaves memory, however little it is, and what is used stays", async () => {
    vi.useFakeTimers();
    try {
      const { kept, reads } = await keptOver([...chain(2), ...chain(2, "b")]);
      await kept.path(nodeId("a1"));
      await kept.path(nodeId("b1"));
      for (let minute = 0; minute < 4; minute += 1) {
        await vi.advanceTimersByTimeAsync(forgetMs / 3);
        await kept.path(nodeId("b1"));
      }
      expect(reads).toEqual([nodeId("a1"), nodeId("b1")]);
      await kept.path(nodeId("a1"));
      expect(reads).toHaveLength(3);
      await vi.advanceTimersByTimeAsync(forgetMs + 2 * restMs);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test("what is beyond the bound is dropped, the least recently used conversation first", async () => {
    const { kept, reads } = await keptOver([...chain(10), ...chain(10, "b")], 10_000);
    await kept.path(nodeId("a9"));
    await kept.path(nodeId("b9"));
    await kept.path(nodeId("b8"));
    expect(reads).toEqual([nodeId("a9"), nodeId("b9")]);
    await kept.path(nodeId("a9"));
    expect(reads).toHaveLength(3);
  });

  test("equals the store after any commits", async () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const random = seededRandom(seed);
      const { store, kept, commit } = await keptOver(chain(4));
      const ids: NodeId[] = chain(4).map(({ id }) => id);
      for (let step = 0; step < 60; step += 1) {
        const id = ids[random.below(ids.length)] ?? nodeId("a0");
        const known = await store.node(id);
        const children = await store.children(rootId("a"), id);
        switch (random.below(5)) {
          case 0:
          case 1: {
            const added = node(`n${step}`, { parentId: known === null ? null : id });
            await commit(put(added));
            ids.push(added.id);
            break;
          }
          case 2:
            if (known !== null) await commit(put({ ...known, tags: [`t${step}`] }));
            break;
          case 3:
            await commit({ type: "rehash-below", nodeId: id });
            break;
          case 4:
            // Moves the children up, as a deletion of one message does.
            if (known === null) break;
            await commit(...children.map((child) => put({ ...child, parentId: known.parentId })), {
              type: "delete-nodes",
              rootId: rootId("a"),
              ids: [id],
              at: 1,
            });
            break;
        }
        const asked = ids[random.below(ids.length)] ?? id;
        expect(await kept.path(asked), `seed ${seed}, step ${step}`).toEqual(await store.path(asked));
      }
    }
  });
});
