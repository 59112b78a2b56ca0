import { setTimeout as delay } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import type { Store } from "../src/core/port/store.ts";
import { launchBrowser } from "../test/e2e/browser.ts";
import { AppBench } from "./app/app-bench.ts";
import { coldLoad } from "./app/cold-load.ts";
import { entryScripts } from "./app/entry-script.ts";
import { filledStore } from "./app/filled-store.ts";
import { keysToFrames, mainThreadShare, openMeasures, percentile95, pressKeys } from "./app/page-measures.ts";
import { peerPage } from "./app/peer-page.ts";
import { atMost, noGoal, type Bench, type BenchRow } from "./harness/bench.ts";
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
  /** The same work by others, each alone in a page without a server: by subject. */
  readonly peers?: Measures;
}

type Measures = Readonly<Record<string, (browser: Browser) => Promise<number>>>;

/** Types in a peer that holds a text. */
function typingIn(name: "codemirror" | "tiptap", text: string): (browser: Browser) => Promise<number> {
  return (browser) =>
    withPeer(browser, name, async (page) => {
      await page.evaluate((content) => {
        (globalThis as unknown as { fillPeer: (text: string) => void }).fillPeer(content);
      }, text);
      await delay(2_000);
      return percentile95(await keysToFrames(page, 40, 100));
    });
}

const typingPeers = (text: string): Measures => ({
  "CodeMirror and y-codemirror": typingIn("codemirror", text),
  "Tiptap and y-tiptap": typingIn("tiptap", text),
});

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
    peers: {
      streamdown: (browser) =>
        withPeer(browser, "streamdown", async (page) => {
          const devTools = await openMeasures(page);
          const pieces = Array.from({ length: 15 * piecesPerSecond }, (_, at) => words(at));
          await page.evaluate(
            ([said, pace]) => {
              const { streamPeer } = globalThis as unknown as { streamPeer: (said: string[], pace: number) => void };
              streamPeer(said, pace);
            },
            [pieces, piecesPerSecond] as const,
          );
          await delay(2_000);
          return mainThreadShare(devTools, streamedSeconds);
        }),
    },
  },
  {
    name: "stream-canvas",
    work: "main thread, a reply and an agent's text in the canvas, 100 pieces a second each",
    unit: "ms/s",
    goal: 150,
    measure: (browser) =>
      withApp(browser, async (app) => {
        await app.ask({ piecesPerSecond: piecesPerSecond / 2, piece: words });
        await app.write({ piecesPerSecond: piecesPerSecond / 2, piece: words });
        await delay(2_000);
        return app.mainThreadShare(streamedSeconds);
      }),
  },
  {
    name: "canvas-stream",
    work: "main thread, an agent's text in the canvas, 200 pieces a second",
    unit: "ms/s",
    goal: 150,
    measure: (browser) =>
      withApp(browser, async (app) => {
        await app.write({ piecesPerSecond, piece: words });
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
    peers: typingPeers(manyLines),
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
    peers: typingPeers(oneLine),
  },
  {
    name: "key-cpu",
    work: "main thread for a key, a canvas of 1 MB, above the page at rest",
    unit: "ms",
    goal: 10,
    measure: (browser) =>
      withApp(browser, async (app) => {
        await app.fill(manyLines);
        await pressKeys(app.page, 20, 100);
        await delay(2_000);
        const atRest = await app.mainThreadShare(4);
        const [before, begun] = [await app.mainThreadMs(), performance.now()];
        await pressKeys(app.page, 40, 100);
        const used = (await app.mainThreadMs()) - before;
        return (used - (atRest * (performance.now() - begun)) / 1000) / 40;
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
    name: "forest",
    work: "main thread until 100,000 messages are open and their map is drawn",
    unit: "ms",
    goal: 300,
    measure: async (browser) =>
      withApp(
        browser,
        async (app) => {
          await app.openEmpty();
          await delay(2_000);
          const before = await app.mainThreadMs();
          await app.openFilled();
          await delay(2_000);
          return (await app.mainThreadMs()) - before;
        },
        await filledStore(10, 10_000),
      ),
  },
  {
    name: "forest-elements",
    work: "elements of the page with 100,000 messages",
    unit: "elements",
    goal: 1_500,
    roundsMax: 1,
    measure: async (browser) =>
      withApp(
        browser,
        async (app) => {
          await app.openFilled();
          return app.page.locator("*").count();
        },
        await filledStore(10, 10_000),
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
  async run({ rounds, isAsked, peer, log }) {
    const browser = await launchBrowser();
    try {
      const rows: BenchRow[] = [];
      for (const each of works.filter(({ name }) => isAsked(name))) {
        const { name, work, unit, goal, roundsMax, peers = {} } = each;
        // Their pages are built of what is installed in bench/peers.
        if (Object.keys(peers).length > 0) await peer("yjs");
        const subjects: Measures = { heddle: (opened) => each.measure(opened), ...peers };
        const measured = Object.keys(subjects).map((subject) => ({ subject, values: [] as number[] }));
        for (let round = 0; round < Math.min(rounds, roundsMax ?? rounds); round += 1) {
          for (const { subject, values } of measured) {
            const value = (await subjects[subject]?.(browser)) ?? Number.NaN;
            log(`${name}, ${subject}: ${value.toFixed(1)} ${unit}`);
            values.push(value);
          }
        }
        const heddle = median(measured[0]?.values ?? []);
        for (const { subject, values } of measured) {
          const value = median(values);
          const judged =
            subject === "heddle" ? { ratio: null, ...atMost(goal, value) } : { ratio: value / heddle, ...noGoal };
          rows.push({ work, subject, value, unit, ...judged });
        }
      }
      return rows;
    } finally {
      await browser.close();
    }
  },
};

export default bench;

async function withPeer(
  browser: Browser,
  name: Parameters<typeof peerPage>[1],
  measure: (page: Page) => Promise<number>,
): Promise<number> {
  const page = await peerPage(browser, name);
  try {
    return await measure(page);
  } finally {
    await page.close();
  }
}

async function withApp(browser: Browser, measure: (app: AppBench) => Promise<number>, store?: Store): Promise<number> {
  const app = await AppBench.open(browser, store);
  try {
    return await measure(app);
  } finally {
    await app.close();
  }
}
