import type { Observable } from "../../../../src/client/base/types.ts";

/** Number of replies that the next message requests, in every conversation of the page; null uses the active preset. */
export interface ReplyCount extends Observable<number | null> {
  readonly set: (count: number | null) => void;
  /** Returns the count for one request; the next request is for the usual number again. */
  readonly take: () => number | null;
}

export function createReplyCount(): ReplyCount {
  const listeners = new Set<() => void>();
  let count: number | null = null;
  const set = (next: number | null): void => {
    if (next === count) return;
    count = next;
    for (const listener of listeners) listener();
  };
  return {
    get: () => count,
    set,
    take() {
      const taken = count;
      set(null);
      return taken;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}
