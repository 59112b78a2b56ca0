import type { Observable } from "../../../../src/client/base/types.ts";

/** Number of replies that the next message requests, in every conversation of the page; null uses the active preset. */
export interface ReplyCount extends Observable<number | null> {
  readonly set: (count: number | null) => void;
}

export function createReplyCount(): ReplyCount {
  const listeners = new Set<() => void>();
  let count: number | null = null;
  return {
    get: () => count,
    set(next) {
      count = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}
