import { randomBytes } from "node:crypto";
import type { Clock, LogFields, Logger, Platform, Random } from "../../core/port/platform.ts";

/** The machine's clock. */
const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  threadMs() {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  },
  setTimer(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

export const systemRandom: Random = { bytes: (count) => new Uint8Array(randomBytes(count)) };

export type LogLevel = "info" | "warn" | "error";

const rank: Record<LogLevel, number> = { info: 0, warn: 1, error: 2 };

/** Writes JSON lines of at least `level`: time, level, event, fields. */
export function createLogger(write: (line: string) => void, level: LogLevel, clock: Clock = systemClock): Logger {
  const log = (at: LogLevel, event: string, fields: LogFields = {}): void => {
    if (rank[at] < rank[level]) return;
    write(`${JSON.stringify({ time: new Date(clock.now()).toISOString(), level: at, event, ...fields })}\n`);
  };
  return {
    info: (event, fields) => log("info", event, fields),
    warn: (event, fields) => log("warn", event, fields),
    error: (event, fields) => log("error", event, fields),
  };
}

/**
 * Returns this machine's clock and randomness, and a log of JSON lines of at least `level` (`warn` by default) on standard
 * error, or through `log`.
 */
export function systemPlatform(
  level: LogLevel = "warn",
  log: (line: string) => void = (line) => void process.stderr.write(line),
): Platform {
  return { clock: systemClock, random: systemRandom, logger: createLogger(log, level) };
}
