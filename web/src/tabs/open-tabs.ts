import type { Observable } from "../../../src/client/base/types.ts";
import { Stored } from "../browser/stored.ts";
import { nextTabs, noTabs, readTabs, type Tabs, type TabsAction } from "./tabs.ts";

const stored = new Stored("tabs", readTabs, noTabs, "window");
const listeners = new Set<() => void>();
let current = stored.get();

/** The open documents of this window. */
export const openTabs: Observable<Tabs> = {
  get: () => current,
  subscribe(listener) {
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  },
};

export function changeTabs(action: TabsAction): void {
  const next = nextTabs(current, action);
  if (next === current) return;
  current = next;
  stored.set(next);
  for (const listener of listeners) listener();
}
