import { setTimeout as delay } from "node:timers/promises";
import type { CDPSession, Page } from "playwright-core";

/** Lets `mainThreadMs` be read. */
export async function openMeasures(page: Page): Promise<CDPSession> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send("Performance.enable", { timeDomain: "threadTicks" });
  return devTools;
}

/** Milliseconds of its processor that the page's main thread has used. */
export async function mainThreadMs(devTools: CDPSession): Promise<number> {
  const { metrics } = await devTools.send("Performance.getMetrics");
  return 1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN);
}

/** Main thread of a page during so many seconds. Milliseconds a second. */
export async function mainThreadShare(devTools: CDPSession, seconds: number): Promise<number> {
  const before = await mainThreadMs(devTools);
  const begun = performance.now();
  await delay(1000 * seconds);
  const usedMs = (await mainThreadMs(devTools)) - before;
  return (1000 * usedMs) / (performance.now() - begun);
}

/** Types where the focus is; returns the milliseconds from each key to the frame that shows it. */
export async function keysToFrames(page: Page, count: number, everyMs: number): Promise<readonly number[]> {
  await page.evaluate(() => {
    const waits: number[] = [];
    Object.assign(globalThis, { benchWaits: waits });
    addEventListener(
      "keydown",
      ({ timeStamp }) => {
        const frame = new MessageChannel();
        frame.port1.addEventListener("message", () => waits.push(performance.now() - timeStamp));
        frame.port1.start();
        requestAnimationFrame(() => frame.port2.postMessage(null));
      },
      { capture: true },
    );
  });
  await pressKeys(page, count, everyMs);
  return page.evaluate(() => (globalThis as unknown as { benchWaits: number[] }).benchWaits.splice(0));
}

/** Types where the focus is, at a pace. */
export async function pressKeys(page: Page, count: number, everyMs: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    await page.keyboard.press("x");
    await delay(everyMs);
  }
}

export function percentile95(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN;
}
