import { reasonOf } from "../../core/base/reason.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { Store } from "../../core/port/store.ts";
import { metaKeys } from "../base/meta-keys.ts";
import { requestsKeptMs } from "../base/once.ts";
import { unnamedBlobAgeMs } from "./blob-ages.ts";
import type { BlobKeeper } from "./blob-keeper.ts";
import { namedBlobs } from "./named-blobs.ts";

/** Delay of a sweep after the start, so that it does not slow the start down. Milliseconds. */
const afterStartMs = 30_000;
/** How often to check whether a day has passed: a sleeping machine does not count its timers. Milliseconds. */
const lookEveryMs = 60 * 60 * 1000;

export interface DailySweep {
  /** Cancels the next sweep, and waits for the current one. */
  stop(): Promise<void>;
}

/**
 * Sweeps blobs and old request records soon after the start, and then once a day, since a sweep reads the whole store.
 * `purgeDue` runs every hour, before: blobs that only purged things named are swept the next time.
 */
export function sweepDaily(
  blobs: BlobKeeper,
  store: Store,
  { clock, logger }: Platform,
  purgeDue: () => Promise<void> = async () => {},
): DailySweep {
  let sweeping = Promise.resolve();
  let cancelTimer = clock.setTimer(afterStartMs, look);
  let isStopped = false;
  function look(): void {
    sweeping = sweep()
      .catch((problem: unknown) => logger.warn("blobs-not-swept", { reason: reasonOf(problem) }))
      .then(() => {
        if (!isStopped) cancelTimer = clock.setTimer(lookEveryMs, look);
      });
  }
  async function sweep(): Promise<void> {
    await purgeDue();
    const now = clock.now();
    const last = await store.meta(metaKeys.blobsSwept);
    // A clock that was set back must not postpone the sweep for ever.
    if (typeof last?.["at"] === "number" && last["at"] <= now && now - last["at"] < unnamedBlobAgeMs) return;
    const { removed, kept } = await blobs.sweep((ids) => namedBlobs(store, ids));
    await store.commit([
      { type: "delete-requests", before: now - requestsKeptMs },
      { type: "put-meta", key: metaKeys.blobsSwept, value: { at: now } },
    ]);
    if (removed.length > 0) logger.info("blobs-swept", { removed: removed.length, kept });
  }
  return {
    async stop() {
      isStopped = true;
      cancelTimer();
      await sweeping;
    },
  };
}
