import { reasonOf } from "../../core/base/reason.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { Store } from "../../core/port/store.ts";
import { unnamedBlobAgeMs, type BlobKeeper } from "./blob-keeper.ts";
import { namedBlobs } from "./named-blobs.ts";

/** How long after the start a sweep waits, so that it is in nobody's way. Milliseconds. */
const afterStartMs = 30_000;
/** When the last sweep was, in the store. */
const sweptKey = "blobs.swept";

export interface DailySweep {
  /** Ends what has not begun, and waits for what has. */
  stop(): Promise<void>;
}

/** Sweeps blobs once, some time after the start, unless that was done within the last day: it reads the whole store. */
export function sweepDaily(blobs: BlobKeeper, store: Store, { clock, logger }: Platform): DailySweep {
  let sweeping = Promise.resolve();
  const cancelTimer = clock.setTimer(afterStartMs, () => {
    sweeping = sweep().catch((problem: unknown) => logger.warn("blobs-not-swept", { reason: reasonOf(problem) }));
  });
  async function sweep(): Promise<void> {
    const now = clock.now();
    const last = await store.meta(sweptKey);
    // A clock that was set back does not put it off for ever.
    if (typeof last?.["at"] === "number" && last["at"] <= now && now - last["at"] < unnamedBlobAgeMs) return;
    const { removed, kept } = await blobs.sweep((ids) => namedBlobs(store, ids));
    await store.commit([{ type: "put-meta", key: sweptKey, value: { at: now } }]);
    if (removed.length > 0) logger.info("blobs-swept", { removed: removed.length, kept });
  }
  return {
    async stop() {
      cancelTimer();
      await sweeping;
    },
  };
}
