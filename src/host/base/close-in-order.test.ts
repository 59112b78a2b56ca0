import { expect, test } from "vitest";
import { buildCatalogue } from "../../adapters/providers/catalogue.ts";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import { ok } from "../../core/base/result.ts";
import { simulatedClock } from "../../testing/simulated-clock.ts";
import { closeInOrder } from "./close-in-order.ts";
import { systemRandom } from "../../adapters/platform/system-platform.ts";
import { openWorkspace } from "../workspace/workspace.ts";

test("closeInOrder runs every step in order, and rejects with all failures at the end", async () => {
  const taken: number[] = [];
  const failing = (step: number) => async () => {
    taken.push(step);
    if (step % 2 === 1) throw new Error(`step ${step}`);
  };
  await expect(closeInOrder([0, 1, 2].map(failing))).rejects.toThrow(/^step 1$/);
  await expect(closeInOrder([3, 4, 5].map(failing))).rejects.toThrow(/step 3.*step 5/);
  await closeInOrder([failing(6), () => void taken.push(7), () => undefined]);
  expect(taken).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

test("a workspace whose shell fails to close still closes everything else, the store last, and leaves no timer", async () => {
  const clock = simulatedClock();
  const store = openMemoryStore();
  const closed: string[] = [];
  const storeClose = store.close.bind(store);
  store.close = async () => {
    closed.push("store");
    await storeClose();
  };
  const workspace = await openWorkspace({
    store,
    catalogue: buildCatalogue({}, { fetch, clock, sleep: () => Promise.resolve() }),
    platform: { clock, random: systemRandom, logger: { info: () => {}, warn: () => {}, error: () => {} } },
    shell: {
      hosts: [],
      run: () => Promise.resolve(ok({ type: "cancelled" })),
      close: () => {
        closed.push("shell");
        return Promise.reject(new Error("a process that cannot be ended"));
      },
    },
    cwd: "/",
  });
  await expect(workspace.close()).rejects.toThrow("a process that cannot be ended");
  expect(closed).toEqual(["shell", "store"]);
  expect(clock.timers).toBe(0);
});
