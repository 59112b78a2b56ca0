import { afterEach, beforeEach, expect } from "vitest";
import { must } from "../../core/base/assert.ts";
import type { Store, StoreRefusal, StoreWrite } from "../../core/port/store.ts";

/** A store under test, and how to dispose of it. */
interface OpenedStore {
  readonly store: Store;
  /** Closes the store and reopens its content; absent when it keeps nothing beyond its own life. */
  readonly reopen?: () => Promise<Store>;
  readonly dispose: () => Promise<void>;
}

/** Opens a store that is empty. */
export type OpenStore = () => Promise<OpenedStore>;

/** A store that is empty at the start of every test of the surrounding suite. */
export interface FreshStore {
  store(): Store;
  /** The store after a restart; the old store is closed. Only when `canReopen`. */
  reopened(): Promise<Store>;
  /** Whether anything outlives the store. */
  canReopen(): boolean;
  /** Commits and expects success. */
  make(...writes: readonly StoreWrite[]): Promise<void>;
  /** Commits and expects a refusal. */
  refused(...writes: readonly StoreWrite[]): Promise<StoreRefusal>;
}

/** Opens a store before each test of the surrounding suite, and disposes of it afterwards. */
export function freshStore(open: OpenStore): FreshStore {
  let opened: OpenedStore | null = null;
  let current: Store | null = null;
  beforeEach(async () => {
    opened = await open();
    current = opened.store;
  });
  afterEach(async () => {
    await opened?.dispose();
  });
  const store = (): Store => must(current, "the test has a store");
  return {
    store,
    canReopen: () => opened?.reopen !== undefined,
    async reopened() {
      current = await must(opened?.reopen, "the store can be reopened")();
      return current;
    },
    async make(...writes) {
      expect(await store().commit(writes)).toEqual({ ok: true, value: undefined });
    },
    async refused(...writes) {
      const result = await store().commit(writes);
      if (result.ok) throw new Error("the commit was made");
      return result.error;
    },
  };
}
