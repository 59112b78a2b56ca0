import type { Platform } from "../../core/port/platform.ts";

/** Waits for `work`, for at most `boundMs` (milliseconds). */
export async function within(
  platform: Pick<Platform, "clock" | "logger">,
  boundMs: number,
  work: Promise<void>,
): Promise<void> {
  let cancel: () => void = () => {};
  const bound = new Promise<void>((resolve) => {
    cancel = platform.clock.setTimer(boundMs, () => {
      platform.logger.warn("close-took-too-long", { boundMs });
      resolve();
    });
  });
  try {
    await Promise.race([work, bound]);
  } finally {
    cancel();
  }
}
