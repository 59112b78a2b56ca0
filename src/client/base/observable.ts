import type { Observable } from "./types.ts";

/** A value that one owner changes and many show. */
export interface Cell<Value> extends Observable<Value> {
  /** Changes the value and notifies subscribers, unless it is the value already there (`Object.is`). */
  set(value: Value): void;
}

/** Defers notifications until a group of changes is complete, so that no subscriber sees half of it. */
export interface Batch {
  /** Runs `work`. Cells changed in it notify once, when the outermost `run` returns. */
  run(work: () => void): void;
  /** Calls `notify` once at the end of the outermost `run`; at once outside of any. */
  later(notify: () => void): void;
}

/** Creates a batch for the cells of one client. */
export function createBatch(): Batch {
  const pending = new Set<() => void>();
  let depth = 0;
  return {
    run(work) {
      depth += 1;
      try {
        work();
      } finally {
        depth -= 1;
        if (depth === 0) {
          for (const notify of pending) {
            pending.delete(notify);
            notify();
          }
        }
      }
    },
    later(notify) {
      if (depth > 0) pending.add(notify);
      else notify();
    },
  };
}

/** Creates a cell. `onUse` is called for the first subscriber; what it returns is called after the last has unsubscribed. */
export function createCell<Value>(initial: Value, batch: Batch, onUse?: () => () => void): Cell<Value> {
  const listeners = new Set<() => void>();
  let value = initial;
  let endUse: (() => void) | undefined;
  const notify = (): void => {
    for (const listener of listeners) listener();
  };
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      batch.later(notify);
    },
    subscribe(listener) {
      // A wrapper per subscription, so that the same function may subscribe twice.
      const own = (): void => listener();
      listeners.add(own);
      if (listeners.size === 1) endUse = onUse?.();
      return () => {
        if (!listeners.delete(own) || listeners.size > 0) return;
        endUse?.();
        endUse = undefined;
      };
    },
  };
}
