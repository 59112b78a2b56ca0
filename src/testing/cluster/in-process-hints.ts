import type { HintBus } from "../../core/port/hint-bus.ts";

/** Hints between nodes that are one process. */
export class InProcessHints {
  readonly #listeners = new Set<() => void>();

  tell(): void {
    for (const listener of this.#listeners) listener();
  }

  /** The bus of one node. */
  bus(): HintBus {
    const own = new Set<() => void>();
    let isClosed = false;
    return {
      tell: () => {
        if (!isClosed) this.tell();
      },
      onHint: (given) => {
        const listener = (): void => given();
        const end = (): void => {
          own.delete(listener);
          this.#listeners.delete(listener);
        };
        if (isClosed) return end;
        own.add(listener);
        this.#listeners.add(listener);
        return end;
      },
      close: async () => {
        isClosed = true;
        for (const listener of own) this.#listeners.delete(listener);
      },
    };
  }
}
