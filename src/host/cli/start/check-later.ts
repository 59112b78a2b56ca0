import { checkDatabase } from "../../../adapters/storage/sqlite/check-database.ts";
import { reasonOf } from "../../../core/base/reason.ts";
import type { Platform } from "../../../core/port/platform.ts";

/** After the rush of a start, when pages connect and agents go on. */
const checkAfterMs = 60_000;

/** Looks through the whole database once, some time after the start. Returns how to stop that, before the store closes. */
export function checkLater(
  database: string,
  { clock, logger }: Pick<Platform, "clock" | "logger">,
  report: (problem: string) => void,
): () => Promise<void> {
  const stop = new AbortController();
  let checked = Promise.resolve();
  const cancel = clock.setTimer(checkAfterMs, () => {
    const failed = (problem: unknown): void => logger.warn("check-failed", { problem: reasonOf(problem) });
    checked = checkDatabase(database, { signal: stop.signal, report }).catch(failed);
  });
  return () => {
    cancel();
    stop.abort();
    return checked;
  };
}
