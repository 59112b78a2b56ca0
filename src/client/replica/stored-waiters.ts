import type { RequestId } from "../../core/base/ids.ts";

interface Waiter {
  before: readonly RequestId[];
  readonly done: () => void;
}

/** What waits until the server has the edits made before it, in the order asked. */
export class StoredWaiters {
  #waiters: Waiter[] = [];

  /** `before` names the pushes that the server does not have yet. */
  add(before: readonly RequestId[], done: () => void): void {
    this.#waiters.push({ before, done });
  }

  /** The edits that waited were made again, together with later ones: as the pushes `requestIds`. */
  madeAgain(requestIds: readonly RequestId[]): void {
    for (const waiter of this.#waiters) waiter.before = requestIds;
  }

  /** Calls back those whose edits are none of `waiting`. */
  settle(waiting: readonly RequestId[]): void {
    if (this.#waiters.length === 0) return;
    const isDone = ({ before }: Waiter): boolean => !before.some((id) => waiting.includes(id));
    const done = this.#waiters.filter(isDone);
    this.#waiters = this.#waiters.filter((waiter) => !done.includes(waiter));
    for (const waiter of done) waiter.done();
  }
}
