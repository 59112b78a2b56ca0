import { expect, test } from "vitest";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import { simulatedClock } from "../../testing/simulated-clock.ts";
import { createAgents } from "./replica-registry.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { model, person } from "../document/world.test-support.ts";

const clock = simulatedClock();

test("the same client and person get the same number again, others get their own, and none is used twice", async () => {
  const store = openMemoryStore();
  const agents = await createAgents(store, clock);
  const ada = await agents.forClient("client-1", person("ada"));
  const others = [
    await agents.forClient("client-2", person("ada")),
    await agents.forClient("client-1", person("bob")),
    await agents.forRun(model("run-1")),
    await agents.forRun(model("run-2")),
    accept(await agents.handOf(ada)),
  ];
  expect(new Set([ada, ...others]).size).toBe(6);
  const later = await createAgents(openMemoryStore(store.image()), clock);
  expect(await later.forClient("client-1", person("ada"))).toBe(ada);
  expect(await later.forRun(model("run-1", "another turn"))).toBe(others[2]);
  expect(await later.forClient("client-3", person("ada"))).toBe(7);
  expect(later.actorOf(ada)).toEqual(person("ada"));
});

test("concurrent calls for one client get the same number", async () => {
  const agents = await createAgents(openMemoryStore(), clock);
  const asked = Array.from({ length: 5 }, () => agents.forClient("client", person("ada")));
  expect(new Set(await Promise.all(asked))).toEqual(new Set([1]));
});

test("a number is on disk before it is returned, and a call that failed on a full disk can be repeated", async () => {
  let full = true;
  const store = openMemoryStore(undefined, { fault: () => (full ? "STORE_FULL" : null) });
  const agents = await createAgents(store, clock);
  await expect(agents.forClient("client", person("ada"))).rejects.toThrow("STORE_FULL");
  full = false;
  const agent = await agents.forClient("client", person("ada"));
  expect((await store.agents()).map((record) => record.agent)).toEqual([agent]);
});

test("a server replica writes for one page, and ownerOf returns that page's number", async () => {
  const store = openMemoryStore();
  const agents = await createAgents(store, clock);
  const ada = await agents.forClient("client", person("ada"));
  const hand = accept(await agents.handOf(ada));
  const later = await createAgents(openMemoryStore(store.image()), clock);
  expect(accept(await later.handOf(ada))).toBe(hand);
  expect([await later.ownerOf(hand), await later.ownerOf(ada)]).toEqual([ada, ada]);
  expect(later.actorOf(hand)).toEqual(person("ada"));
});

test("a client with an unreadable record gets a new number, and nobody gets the old one", async () => {
  const store = openMemoryStore();
  const agents = await createAgents(store, clock);
  const bob = await agents.forClient("client-1", person("bob"));
  const ada = await agents.forClient("client-2", person("ada"));
  const hand = accept(await agents.handOf(ada));
  const damaged = openMemoryStore(store.image());
  const records = (await damaged.agents()).filter(({ agent }) => agent === bob);
  damaged.agents = () => Promise.resolve(records);
  const later = await createAgents(damaged, clock);
  expect(await later.forClient("client-1", person("bob"))).toBe(bob);
  const eve = await later.forClient("client-3", person("eve"));
  expect([bob, ada, hand]).not.toContain(eve);
  const again = await later.forClient("client-2", person("ada"));
  expect(later.actorOf(again)).toEqual(person("ada"));
  expect(await later.forClient("client-2", person("ada"))).toBe(again);
  expect(await later.ownerOf(accept(await later.handOf(again)))).toBe(again);
});
