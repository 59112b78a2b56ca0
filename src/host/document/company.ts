import type { Clock } from "../../core/port/platform.ts";
import { CrowdPause } from "./crowd-pause.ts";

/** Lets the first of a queue wait for those who make the telling worth it. */
export class Company {
  readonly #clock: Clock;
  readonly #crowd = new CrowdPause();
  /** How many are waited for, the first counted, and what ends the wait. */
  #awaited: { readonly enough: number; readonly over: () => void } | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** One more came, of now `count` in all. */
  came(count: number): void {
    this.#crowd.came(this.#clock.monotonic());
    if (this.#awaited !== null && count >= this.#awaited.enough) this.#awaited.over();
  }

  /** Something else is asked of the document: nobody is waited for any more. */
  over(): void {
    this.#awaited?.over();
  }

  /** Resolves when enough are there for so many watchers, of now `count`; null where waiting is not worth it. */
  wait(audience: number, count: number): Promise<void> | null {
    const { waitMs, enough } = this.#crowd.of(audience, this.#clock.monotonic());
    if (waitMs === 0 || count >= enough) return null;
    return new Promise<void>((resolve) => {
      const over = (): void => {
        cancel();
        this.#awaited = null;
        resolve();
      };
      const cancel = this.#clock.setTimer(waitMs, over);
      this.#awaited = { enough, over };
    });
  }
}
