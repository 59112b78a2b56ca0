import { setTimeout as delay } from "node:timers/promises";
import type { Browser } from "playwright-core";
import type { Store } from "../src/core/port/store.ts";
import { launchBrowser } from "../test/e2e/browser.ts";
import { AppBench } from "./app/app-bench.ts";
import { coldLoad } from "./app/cold-load.ts";
import { entryScripts } from "./app/entry-script.ts";
import { filledStore } from "./app/filled-store.ts";
import { keysToFrames, percentile95 } from "./app/page-measures.ts";
import { atMost, type Bench, type BenchRow } from "./harness/bench.ts";
import { median } from "./harness/interleave.ts";

/** One measurement of the app, in a browser and a server of its own. */
interface AppWork {
  readonly name: string;
  readonly work: string;
  readonly unit: string;
  readonly goal: number;
  /** How often it runs at most; a long one runs once. */
  readonly roundsMax?: number;
  measure(browser: Browser): Promise<number>;
}

const piecesPerSecond = 200;
const streamedSeconds = 10;
/** Pieces whose paragraphs hold what replies hold. */
const words = (at: number): string => (at % 40 === 39 ? `**end** ${at}.\n\n` : at % 9 === 8 ? "`code` " : "a word ");

const manyLines = Array.from({ length: 30_000 }, (_, line) => `Line ${line} of a *long* text.`).join("\n");
const oneLine = "some words ".repeat(90_000);

const works: readonly AppWork[] = [
  {
    name: "entry",
    work: "entry script with what it loads at once, gzip",
    unit: "KB",
    goal: 150,
    roundsMax: 1,
    measure: async () => (await entryScripts()).kilobytes,
  },
  {
    name: "cold-paint",
    work: "first contentful paint, 10 Mbit/s and 40 ms, nothing kept",
    unit: "ms",
    goal: 500,
    measure: async (browser) => (await coldLoad(browser)).firstPaint,
  },
  {
    name: "cold-message",
    work: "time to typing a message, 10 Mbit/s and 40 ms, nothing kept",
    unit: "ms",
    goal: 1_000,
    measure: async (browser) => (await coldLoad(browser)).message,
  },
  {
    name: "cold-document",
    work: "time to typing in the document, 10 Mbit/s and 40 ms, nothing kept",
    unit: "ms",
    goal: 1_500,
    measure: async (browser) => (await coldLoad(browser)).document,
  },
  {
    name: "stream",
    work: "main thread, a reply of 200 pieces a second",
    unit: "ms/s",
    goal: 150,
    measure: (browser) =>
      withApp(browser, async (app) => {
        await app.ask({ piecesPerSecond, piece: words });
        await delay(2_000);
        return app.mainThreadShare(streamedSeconds);
      }),
  },
  {
    name: "keys-stream",
    work: "key to frame p95, while a reply streams",
    unit: "ms",
    goal: 50,
    measure: (browser) =>
      withApp(browser, async (app) => {
        await app.ask({ piecesPerSecond, piece: words });
        await app.page.locator(".cm-content").click();
        return percentile95(await keysToFrames(app.page, 60, 100));
      }),
  },
  {
    name: "keys-lines",
    work: "key to frame p95, 30,000 lines",
    unit: "ms",
    goal: 50,
    measure: (browser) =>
      withApp(browser, async (app) => {
        await app.fill(manyLines);
        return percentile95(await keysToFrames(app.page, 40, 100));
      }),
  },
  {
    name: "keys-line",
    work: "key to frame p95, one line of 1 MB",
    unit: "ms",
    goal: 100,
    measure: (browser) =>
      withApp(browser, async (app) => {
        await app.fill(oneLine);
        return percentile95(await keysToFrames(app.page, 40, 100));
      }),
  },
  {
    name: "scroll",
    work: "work for a frame p95, scrolling 500 messages",
    unit: "ms",
    goal: 16,
    measure: async (browser) =>
      withApp(
        browser,
        async (app) => {
          await app.openFilled();
          const earlier = app.page.getByRole("button", { name: /^Show earlier messages/u });
          for (let shown = 200; shown < 500; shown += 200) {
            await app.page.locator(".messages").evaluate((messages) => (messages.scrollTop = 0));
            await earlier.click({ timeout: 5_000 }).catch(() => undefined);
            await delay(500);
          }
          await app.page.locator(".messages").evaluate((messages) => (messages.scrollTop = messages.scrollHeight));
          await delay(500);
          return percentile95(await app.scrolled(600, 100));
        },
        await filledStore(1, 500),
      ),
  },
  {
    name: "memory",
    work: "heap above the text, a reply of 1 MB at 200 pieces a second for 10 minutes",
    unit: "MB",
    goal: 40,
    roundsMax: 1,
    measure: (browser) =>
      withApp(browser, async (app) => {
        const before = await app.heapMb();
        const pieces = 600 * piecesPerSecond;
        let textMb = 0;
        const piece = (at: number): string | null => {
          if (at >= pieces) return null;
          const text = `${words(at)}. `;
          textMb += text.length / 1e6;
          return text;
        };
        await app.ask({ piecesPerSecond, piece });
        await delay(590_000);
        const above = (await app.heapMb()) - before - textMb;
        await app.waitUntilIdle();
        return above;
      }),
  },
];

const bench: Bench = {
  name: "app",
  question: "What do writing, reading and loading cost in the browser?",
  async run({ rounds, isAsked, log }) {
    const browser = await launchBrowser();
    try {
      const rows: BenchRow[] = [];
      for (const each of works.filter(({ name }) => isAsked(name))) {
        const { name, work, unit, goal, roundsMax } = each;
        const values: number[] = [];
        for (let round = 0; round < Math.min(rounds, roundsMax ?? rounds); round += 1) {
          const value = await each.measure(browser);
          log(`${name}: ${value.toFixed(1)} ${unit}`);
          values.push(value);
        }
        const value = median(values);
        rows.push({ work, subject: "heddle", value, unit, ratio: null, ...atMost(goal, value) });
      }
      return rows;
    } finally {
      await browser.close();
    }
  },
};

export default bench;

async function withApp(browser: Browser, measure: (app: AppBench) => Promise<number>, store?: Store): Promise<number> {
  const app = await AppBench.open(browser, store);
  try {
    return await measure(app);
  } finally {
    await app.close();
  }
}
