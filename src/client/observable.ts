import type { Observable } from "./types.ts";

/** A value that one owner changes and many show. */
export interface Cell<Value> extends Observable<Value> {
  /** Tells listeners, unless the value is the one it was. */
  set(value: Value): void;
}

/** Holds back what cells tell until a group of changes is whole, so that nobody sees half of it. */
export interface Batch {
  /** Runs `work`; cells changed in it tell once, when the outermost work is done. */
  run(work: () => void): void;
  later(tell: () => void): void;
}

export function createBatch(): Batch {
  const waiting = new Set<() => void>();
  let depth = 0;
  return {
    run(work) {
      depth += 1;
      try {
        work();
      } finally {
        depth -= 1;
        if (depth === 0) {
          for (const tell of waiting) {
            waiting.delete(tell);
            tell();
          }
        }
      }
    },
    later(tell) {
      if (depth > 0) waiting.add(tell);
      else tell();
    },
  };
}

/** `onUse` is called when the first listener comes and gives back what to do when the last has gone. */
export function createCell<Value>(initial: Value, batch: Batch, onUse?: () => () => void): Cell<Value> {
  const listeners = new Set<() => void>();
  let value = initial;
  let endUse: (() => void) | undefined;
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      batch.later(tell);
    },
    subscribe(listener) {
      // A wrapper of its own, so that one function may listen twice.
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
