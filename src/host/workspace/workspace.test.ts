import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openFolderTree } from "../../adapters/files/folder-tree.ts";
import { buildCatalogue } from "../../adapters/providers/catalogue.ts";
import type { ModelCatalogue } from "../../core/port/language-model.ts";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import { simulatedClock } from "../../testing/simulated-clock.ts";
import { openWorkspace } from "./workspace.ts";
import { systemPlatform } from "../../adapters/platform/system-platform.ts";

test("a workspace that fails to open closes everything it had opened, and leaves the store to its caller", async () => {
  const root = mkdtempSync(join(tmpdir(), "heddle-half-open-"));
  try {
    writeFileSync(join(root, "a.md"), "one\n");
    const clock = simulatedClock();
    const store = openMemoryStore();
    const files = await openFolderTree(root, clock);
    store.unsettledRuns = () => Promise.reject(new Error("cannot be read"));
    const platform = { ...systemPlatform(), clock, logger: { info() {}, warn() {}, error() {} } };
    const catalogue = buildCatalogue({}, { fetch, clock, sleep: () => Promise.resolve() });
    await expect(openWorkspace({ store, files, catalogue, platform, cwd: root })).rejects.toThrow("cannot be read");
    expect(clock.timers).toBe(0);
    expect(await store.leases()).toEqual([]);
  } finally {
    rmSync(root, { recursive: true });
  }
});

test("a new workspace opens on a full disk; a later start adds its welcome", async () => {
  let full = true;
  const store = openMemoryStore(undefined, { fault: () => (full ? "STORE_FULL" : null) });
  const platform = { ...systemPlatform(), logger: { info() {}, warn() {}, error() {} } };
  const catalogue = buildCatalogue({}, { fetch, clock: platform.clock, sleep: () => Promise.resolve() });
  const open = (over: typeof store) => openWorkspace({ store: over, catalogue, platform, cwd: tmpdir() });
  const first = await open(store);
  expect(await first.conversations.list()).toEqual([]);
  full = false;
  const image = store.image();
  await first.close();
  const second = await open(openMemoryStore(image));
  expect(await second.conversations.list()).toHaveLength(1);
  await second.close();
});

test("14.15 a new conversation begins with the model of a server that was started, or a key that was set, after Heddle", async () => {
  const platform = { ...systemPlatform(), logger: { info() {}, warn() {}, error() {} } };
  const deps = { fetch, clock: platform.clock, sleep: () => Promise.resolve() };
  let models = buildCatalogue({}, deps);
  let isUp = false;
  const catalogue: ModelCatalogue = {
    list: () => models.list(),
    find: (id) => models.find(id),
    async refresh() {
      if (isUp) models = buildCatalogue({ compatibleBaseUrl: "http://127.0.0.1:1/v1", compatibleModel: "house" }, deps);
    },
  };
  const workspace = await openWorkspace({ store: openMemoryStore(), catalogue, platform, cwd: tmpdir() });
  const modelOfNew = async () => {
    await workspace.conversations.create({ title: "New" });
    return (await workspace.conversations.list()).at(-1)?.model;
  };
  expect(await modelOfNew()).toBe("scripted/scribe");
  isUp = true;
  expect(await modelOfNew()).toBe("local/house");
  await workspace.close();
});
