import { describe, expect, test } from "vitest";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import { simulatedClock } from "../../testing/simulated-clock.ts";
import { createReplicas } from "./replica-registry.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { model, person } from "../document/world.test-support.ts";

const clock = simulatedClock();

test("the same client and person get the same number again, others get their own, and none is used twice", async () => {
  const store = openMemoryStore();
  const replicas = await createReplicas(store, clock);
  const ada = await replicas.forClient("client-1", person("ada"));
  const others = [
    await replicas.forClient("client-2", person("ada")),
    await replicas.forClient("client-1", person("bob")),
    await replicas.forRun(model("run-1")),
    await replicas.forRun(model("run-2")),
    accept(await replicas.serverReplicaOf(ada)),
  ];
  expect(new Set([ada, ...others]).size).toBe(6);
  const later = await createReplicas(openMemoryStore(store.image()), clock);
  expect(await later.forClient("client-1", person("ada"))).toBe(ada);
  expect(await later.forRun(model("run-1", "another turn"))).toBe(others[2]);
  expect(await later.forClient("client-3", person("ada"))).toBe(7);
  expect(later.actorOf(ada)).toEqual(person("ada"));
});

test("concurrent calls for one client get the same number", async () => {
  const replicas = await createReplicas(openMemoryStore(), clock);
  const asked = Array.from({ length: 5 }, () => replicas.forClient("client", person("ada")));
  expect(new Set(await Promise.all(asked))).toEqual(new Set([1]));
});

test("a number is on disk before it is returned, and a call that failed on a full disk can be repeated", async () => {
  let full = true;
  const store = openMemoryStore(undefined, { fault: () => (full ? "STORE_FULL" : null) });
  const replicas = await createReplicas(store, clock);
  await expect(replicas.forClient("client", person("ada"))).rejects.toMatchObject({
    name: "NotStoredError",
    refusal: { code: "STORE_FULL" },
  });
  full = false;
  const replica = await replicas.forClient("client", person("ada"));
  expect((await store.replicas()).map((record) => record.replica)).toEqual([replica]);
});

test("a server replica writes for one page, and ownerOf returns that page's number", async () => {
  const store = openMemoryStore();
  const replicas = await createReplicas(store, clock);
  const ada = await replicas.forClient("client", person("ada"));
  const serverReplica = accept(await replicas.serverReplicaOf(ada));
  const later = await createReplicas(openMemoryStore(store.image()), clock);
  expect(accept(await later.serverReplicaOf(ada))).toBe(serverReplica);
  expect([await later.ownerOf(serverReplica), await later.ownerOf(ada)]).toEqual([ada, ada]);
  expect(later.actorOf(serverReplica)).toEqual(person("ada"));
});

test("a client with an unreadable record gets a new number, and nobody gets the old one", async () => {
  const store = openMemoryStore();
  const replicas = await createReplicas(store, clock);
  const bob = await replicas.forClient("client-1", person("bob"));
  const ada = await replicas.forClient("client-2", person("ada"));
  const serverReplica = accept(await replicas.serverReplicaOf(ada));
  const damaged = openMemoryStore(store.image());
  const records = (await damaged.replicas()).filter(({ replica }) => replica === bob);
  damaged.replicas = () => Promise.resolve(records);
  const later = await createReplicas(damaged, clock);
  expect(await later.forClient("client-1", person("bob"))).toBe(bob);
  const eve = await later.forClient("client-3", person("eve"));
  expect([bob, ada, serverReplica]).not.toContain(eve);
  const again = await later.forClient("client-2", person("ada"));
  expect(later.actorOf(again)).toEqual(person("ada"));
  expect(await later.forClient("client-2", person("ada"))).toBe(again);
  expect(await later.ownerOf(accept(await later.serverReplicaOf(again)))).toBe(again);
});

describe("a page that comes and may never write", () => {
  test("has a number without a record, its own until it writes, which is stored before", async () => {
    const store = openMemoryStore();
    const replicas = await createReplicas(store, clock);
    const ada = accept(await replicas.introduce("client", person("ada")));
    expect(accept(await replicas.introduce("client", person("ada")))).toBe(ada);
    expect(accept(await replicas.introduce("client", person("bob")))).not.toBe(ada);
    expect([replicas.actorOf(ada), await store.replicas()]).toEqual([person("ada"), []]);
    const kept = await Promise.all([replicas.keep(ada), replicas.keep(ada)]);
    expect(kept.map(({ ok }) => ok)).toEqual([true, true]);
    expect((await store.replicas()).map(({ replica }) => replica)).toEqual([ada]);
    const later = await createReplicas(openMemoryStore(store.image()), clock);
    expect(accept(await later.introduce("client", person("ada")))).toBe(ada);
  });

  test("gets in while the disk is full, and its first write is refused until there is space", async () => {
    let full = false;
    const store = openMemoryStore(undefined, { fault: () => (full ? "STORE_FULL" : null) });
    const replicas = await createReplicas(store, clock);
    accept(await replicas.introduce("first", person("ada")));
    full = true;
    const bob = accept(await replicas.introduce("second", person("bob")));
    expect(await replicas.keep(bob)).toMatchObject({ ok: false, error: { code: "STORE_FULL" } });
    full = false;
    expect(await replicas.keep(bob)).toMatchObject({ ok: true });
    expect((await store.replicas()).map(({ replica }) => replica)).toEqual([bob]);
  });

  test("is refused with the reason where no number was reserved before the disk was full", async () => {
    const replicas = await createReplicas(openMemoryStore(undefined, { fault: () => "STORE_FULL" }), clock);
    expect(await replicas.introduce("client", person("ada"))).toMatchObject({ error: { code: "STORE_FULL" } });
  });

  test("never has a number that another had before a restart, written or not", async () => {
    const store = openMemoryStore();
    const used = new Set<number>();
    let image = store.image();
    for (let start = 0; start < 3; start += 1) {
      const opened = openMemoryStore(image);
      const replicas = await createReplicas(opened, clock);
      for (let page = 0; page < 70; page += 1) {
        const replica = accept(await replicas.introduce(`${start}/${page}`, person("ada")));
        expect(used).not.toContain(replica);
        used.add(replica);
      }
      const run = await replicas.forRun(model(`run-${start}`));
      expect(used).not.toContain(run);
      used.add(run);
      image = opened.image();
    }
  });

  test("leaves nothing behind: a thousand numbers stay for pages that come back, older ones go", async () => {
    const store = openMemoryStore();
    const replicas = await createReplicas(store, clock);
    const first = accept(await replicas.introduce("first", person("ada")));
    const watching = accept(await replicas.introduce("watching", person("ada")));
    replicas.leave(first);
    expect(accept(await replicas.introduce("first", person("ada")))).toBe(first);
    replicas.leave(first);
    for (let page = 0; page < 1_000; page += 1)
      replicas.leave(accept(await replicas.introduce(`page-${page}`, person("eve"))));
    expect([replicas.actorOf(first), replicas.actorOf(watching)]).toEqual([undefined, person("ada")]);
    expect(accept(await replicas.introduce("first", person("ada")))).not.toBe(first);
    expect(await store.replicas()).toEqual([]);
  });

  test("comes again for another number where its own is taken by a damaged record", async () => {
    const store = openMemoryStore();
    const replicas = await createReplicas(store, clock);
    const ada = accept(await replicas.introduce("client", person("ada")));
    accept(
      await store.commit([{ type: "put-replica", replica: { replica: ada, actor: person("bob"), createdAt: 0 } }]),
    );
    expect(await replicas.keep(ada)).toMatchObject({ ok: false, error: { code: "CONFLICT" } });
    const again = accept(await replicas.introduce("client", person("ada")));
    expect(again).not.toBe(ada);
    expect(await replicas.keep(again)).toMatchObject({ ok: true });
  });
});
