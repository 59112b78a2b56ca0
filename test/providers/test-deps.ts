import type { HttpDeps } from "../../src/adapters/providers/shared/http-model.ts";
import type { Sleep } from "../../src/adapters/providers/scribe/scribe.ts";
import type { ModelInfo } from "../../src/core/port/language-model.ts";

/** The real network and real timers. */
export const realDeps: HttpDeps = {
  fetch: (url, init) => fetch(url, init),
  clock: {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    setTimer: (delayMs, callback) => {
      const timer = setTimeout(callback, delayMs);
      return () => clearTimeout(timer);
    },
  },
};

export const noSleep: Sleep = () => Promise.resolve();

export function infoOf(id: string): ModelInfo {
  return { id, name: id, contextTokensMax: 200_000, outputTokensMax: 8192, tools: true, thinking: true, local: true };
}
