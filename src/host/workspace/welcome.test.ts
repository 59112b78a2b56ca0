import { expect, test } from "vitest";
import { buildCatalogue } from "../../adapters/providers/catalogue.ts";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import type { Store } from "../../core/port/store.ts";
import { systemPlatform } from "../../adapters/platform/system-platform.ts";
import { welcomeText, welcomeTitle } from "./welcome.ts";
import { openWorkspace, type Workspace } from "./workspace.ts";

/** Opens a workspace over a store that outlives it. */
function open(store: Store): Promise<Workspace> {
  const platform = { ...systemPlatform(), logger: { info() {}, warn() {}, error() {} } };
  const catalogue = buildCatalogue({}, { fetch, clock: platform.clock, sleep: async () => {} });
  return openWorkspace({ store, catalogue, platform, cwd: "/" });
}

/**
 * Returns the store as seen by a process that is killed before its commit number `last`, counted from 0. The store stays
 * open.
 */
function killedBefore(store: Store, last: number): { readonly store: Store; readonly killed: Promise<void> } {
  const { promise: killed, resolve } = Promise.withResolvers<void>();
  let commits = 0;
  const commit: Store["commit"] = (writes) => {
    commits += 1;
    if (commits <= last) return store.commit(writes);
    resolve();
    return new Promise(() => {});
  };
  return { killed, store: instead(store, { commit, close: async () => {} }) };
}

/** Returns the store with some methods replaced. */
function instead(store: Store, others: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(name in others ? others : target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

test.each([0, 1, 2, 3, 4])(
  "a first start that is killed before its commit %i is completed by the next start",
  async (last) => {
    const store = openMemoryStore();
    const first = killedBefore(store, last);
    await Promise.race([first.killed, open(first.store)]);

    for (let start = 0; start < 2; start += 1) {
      const workspace = await open(instead(store, { close: async () => {} }));
      const [canvas, ...otherCanvases] = await workspace.canvases();
      const [root, ...otherRoots] = await workspace.conversations.list();
      expect([canvas?.title, root?.title]).toEqual([welcomeTitle, welcomeTitle]);
      expect(root?.canvasId).toBe(canvas?.id);
      expect([...otherCanvases, ...otherRoots]).toEqual([]);
      expect(canvas && (await workspace.hub.reader.read(canvas.id))).toMatchObject({
        ok: true,
        value: { text: welcomeText },
      });
      await workspace.close();
    }
  },
);
