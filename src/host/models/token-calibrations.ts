import { type Calibration, readCalibrations, writeCalibrations } from "../../adapters/tokens/calibration.ts";
import { reasonOf } from "../../core/base/reason.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { Store } from "../../core/port/store.ts";
import { metaKeys } from "../base/meta-keys.ts";

/** How long counts wait for more, so that a busy server does not write with every reply. Milliseconds. */
const gatherMs = 30_000;

/** Keeps what was learned about the token counts of models across restarts; what a crash loses is learned again. */
export interface TokenCalibrations {
  /** What earlier processes learned. */
  readonly known: ReadonlyMap<string, Calibration>;
  /** Takes the current calibrations, to be stored later. */
  readonly learned: (known: ReadonlyMap<string, Calibration>) => void;
  /** Stores what was not stored yet. */
  close(): Promise<void>;
}

/** Reads the stored calibrations. */
export async function openTokenCalibrations(store: Store, { clock, logger }: Platform): Promise<TokenCalibrations> {
  let waiting: ReadonlyMap<string, Calibration> | null = null;
  let cancelTimer = (): void => {};
  let writing = Promise.resolve();
  let isClosed = false;

  async function write(): Promise<void> {
    cancelTimer();
    if (waiting === null) return;
    const value = writeCalibrations(waiting);
    waiting = null;
    try {
      const stored = await store.commit([{ type: "put-meta", key: metaKeys.tokenCalibrations, value }]);
      if (!stored.ok) logger.warn("token-calibrations-not-kept", { code: stored.error.code });
    } catch (problem) {
      logger.warn("token-calibrations-not-kept", { reason: reasonOf(problem) });
    }
  }

  return {
    known: readCalibrations(await store.meta(metaKeys.tokenCalibrations)),
    learned(known) {
      if (isClosed) return;
      const isFirst = waiting === null;
      waiting = known;
      if (!isFirst) return;
      cancelTimer = clock.setTimer(gatherMs, () => {
        writing = write();
      });
    },
    async close() {
      isClosed = true;
      await writing;
      await write();
    },
  };
}
