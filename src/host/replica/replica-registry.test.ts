import { expect, test } from "vitest";
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
  await expect(replicas.forClient("client", person("ada"))).rejects.toThrow("STORE_FULL");
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
