import type { Clock } from "../../core/port/platform.ts";
import type { Store } from "../../core/port/store.ts";
import { metaKeys } from "./meta-keys.ts";

/** Whether the store takes changes: `NO_ANSWER` after two seconds without one. */
export type Writes = "ok" | "STORE_FULL" | "STORE_FAILED" | "NO_ANSWER";

const answerMsMax = 2_000;
const keptMs = 1_000;

/**
 * Tells whether changes can be written now, by writing one row. One write at a time and one a second at most, however
 * many ask: who asks needs no token.
 */
export class WriteCheck {
  readonly #store: Pick<Store, "commit">;
  readonly #clock: Clock;
  #last: { readonly writes: Promise<Writes>; readonly until: number } | null = null;
  /** The row that is being written. A store that is silent is not sent another one. */
  #underWay: Promise<Writes> | null = null;

  constructor(store: Pick<Store, "commit">, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  writes(): Promise<Writes> {
    const now = this.#clock.monotonic();
    if (this.#last === null || now >= this.#last.until) this.#last = { writes: this.#asked(), until: now + keptMs };
    return this.#last.writes;
  }

  async #asked(): Promise<Writes> {
    this.#underWay ??= this.#write();
    let cancel = (): void => {};
    const silent = new Promise<Writes>((resolve) => {
      cancel = this.#clock.setTimer(answerMsMax, () => resolve("NO_ANSWER"));
    });
    const writes = await Promise.race([this.#underWay, silent]);
    cancel();
    return writes;
  }

  async #write(): Promise<Writes> {
    try {
      const value = { at: this.#clock.now() };
      const stored = await this.#store.commit([{ type: "put-meta", key: metaKeys.writesChecked, value }]);
      if (stored.ok) return "ok";
      return stored.error.code === "STORE_FULL" ? "STORE_FULL" : "STORE_FAILED";
    } catch {
      return "STORE_FAILED";
    } finally {
      this.#underWay = null;
    }
  }
}
