import { expect, describe, test } from "vitest";
import { scaled } from "../../../../test/scale.ts";
import { describeStore } from "../../../testing/store-suite.ts";
import { blockId, put, requestId } from "../../../testing/store/records.ts";
import { openMemoryStore } from "./open-memory-store.ts";

describeStore(
  "memory",
  async () => {
    let current = openMemoryStore();
    return {
      store: current,
      reopen: async () => {
        await current.close();
        current = openMemoryStore(current.image());
        return current;
      },
      dispose: () => current.close(),
    };
  },
  { rounds: scaled(20) },
);

describe("a memory store that crashes", () => {
  test("keeps committed writes and loses queued ones", async () => {
    const queued: (() => void)[] = [];
    const store = openMemoryStore(undefined, { schedule: (makeCommit) => queued.push(makeCommit) });
    const first = store.commit([put("1", 1)]);
    void store.commit([put("1", 2)]);
    const before = openMemoryStore(store.image());
    queued[0]?.();
    expect(await first).toEqual({ ok: true, value: undefined });
    const between = openMemoryStore(store.image());
    queued[1]?.();
    expect(await before.block(blockId("1"))).toBeNull();
    expect((await between.block(blockId("1")))?.version).toBe(1);
    expect((await store.block(blockId("1")))?.version).toBe(2);
  });

  test("a commit may be durable before its caller knows, and a repeated request is recognised", async () => {
    const queued: (() => void)[] = [];
    const store = openMemoryStore(undefined, { schedule: (makeCommit) => queued.push(makeCommit) });
    void store.commit([put("1", 1, { change: { requestId: requestId("r") } })]);
    queued[0]?.();
    const restarted = openMemoryStore(store.image());
    expect(await restarted.commit([put("1", 2, { change: { requestId: requestId("r") } })])).toMatchObject({
      ok: false,
      error: { code: "DUPLICATE_REQUEST", version: 1 },
    });
  });

  test("makes commits in the requested order, whatever the scheduler's order", async () => {
    const queued: (() => void)[] = [];
    const store = openMemoryStore(undefined, { schedule: (makeCommit) => queued.push(makeCommit) });
    const commits = [1, 2, 3].map((version) => store.commit([put("1", version)]));
    for (const makeCommit of queued.toReversed()) makeCommit();
    expect((await Promise.all(commits)).every((result) => result.ok)).toBe(true);
  });

  test("returns images that later commits and other stores do not change", async () => {
    const store = openMemoryStore();
    await store.commit([put("1", 1)]);
    const image = store.image();
    const one = openMemoryStore(image);
    await one.commit([put("1", 2)]);
    await store.commit([put("1", 2), put("1", 3)]);
    const changes = await openMemoryStore(image).changes({ blockId: blockId("1"), afterVersion: 0 });
    expect(changes).toHaveLength(1);
  });

  test("simulates a full disk and recovers", async () => {
    let isFull = true;
    const store = openMemoryStore(undefined, { fault: () => (isFull ? "STORE_FULL" : null) });
    expect(await store.commit([put("1", 1)])).toMatchObject({ ok: false, error: { code: "STORE_FULL" } });
    isFull = false;
    expect(await store.commit([put("1", 1)])).toMatchObject({ ok: true });
  });
});
