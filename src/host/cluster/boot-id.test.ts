import { expect, test } from "vitest";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import { systemPlatform } from "../../adapters/platform/system-platform.ts";
import type { Store } from "../../core/port/store.ts";
import { metaKeys } from "../base/meta-keys.ts";
import { bootIdOf } from "./boot-id.ts";

const platform = systemPlatform("error", () => {});

/** Opens as a node does, and waits until the name is written. */
async function boot(store: Store, epoch: number, follows: boolean): Promise<string> {
  const bootId = await bootIdOf(store, platform, { epoch, follows });
  await new Promise((resolve) => setImmediate(resolve));
  expect(await store.meta(metaKeys.boot)).toEqual({ bootId, epoch });
  return bootId;
}

test("clients go on with a node that saw the owner right before it live, and begin anew with every other", async () => {
  const store = openMemoryStore();
  const first = await boot(store, 1, false);
  expect(await boot(store, 2, true)).toBe(first);
  // Epoch 3 was another's, who never served or is of a release that writes no name.
  const fourth = await boot(store, 4, true);
  expect(fourth).not.toBe(first);
  // A process that started when nobody was there: the database may have been restored meanwhile.
  expect(await boot(store, 5, false)).not.toBe(fourth);
});

test("where the name cannot be written, the node serves all the same", async () => {
  const store = openMemoryStore();
  const full = { meta: store.meta.bind(store), commit: () => Promise.reject(new Error("the disk is full")) };
  const bootId = await bootIdOf(full, platform, { epoch: 1, follows: false });
  expect(bootId).toMatch(/^boot_/);
  expect(await bootIdOf(store, platform, { epoch: 2, follows: true })).not.toBe(bootId);
});
