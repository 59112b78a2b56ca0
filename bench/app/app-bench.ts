import { setTimeout as delay } from "node:timers/promises";
import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core";
import { scriptedModel } from "../../src/adapters/providers/scripted.ts";
import { noUsage } from "../../src/core/message/usage.ts";
import type { LanguageModel } from "../../src/core/port/language-model.ts";
import { startTestServer, type TestServer } from "../../src/testing/test-server.ts";

/** How a bench's model speaks: pieces of a second, and what they say; null ends the reply. */
interface Speech {
  readonly piecesPerSecond: number;
  readonly piece: (at: number) => string | null;
}

/** The built app in a browser, beside a server whose one model speaks at the pace that a bench sets. */
export class AppBench {
  readonly page: Page;
  readonly server: TestServer;
  readonly #context: BrowserContext;
  readonly #devTools: CDPSession;
  readonly #speak: (speech: Speech) => void;

  private constructor(parts: {
    readonly page: Page;
    readonly server: TestServer;
    readonly context: BrowserContext;
    readonly devTools: CDPSession;
    readonly speak: (speech: Speech) => void;
  }) {
    this.page = parts.page;
    this.server = parts.server;
    this.#context = parts.context;
    this.#devTools = parts.devTools;
    this.#speak = parts.speak;
  }

  static async open(browser: Browser): Promise<AppBench> {
    let speech: Speech = { piecesPerSecond: 1, piece: () => null };
    const model = pacedModel(() => speech);
    const catalogue = { list: () => [model.info], find: () => model };
    const server = await startTestServer({ catalogue, store: "sqlite" });
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
    await context.addInitScript(() => localStorage.setItem("heddle.view", "source"));
    const page = await context.newPage();
    const devTools = await context.newCDPSession(page);
    await devTools.send("Performance.enable", { timeDomain: "threadTicks" });
    await page.goto(server.address);
    await page.locator('[data-testid="connection"][data-state="live"]').waitFor();
    await page.locator(".cm-content").waitFor();
    return new AppBench({ page, server, context, devTools, speak: (next) => (speech = next) });
  }

  /** Asks the model, which then speaks; resolves when its first words are on the page. */
  async ask(speech: Speech): Promise<void> {
    this.#speak(speech);
    await this.page.getByRole("textbox", { name: "Message", exact: true }).fill("Write.");
    await this.page.getByRole("button", { name: "Send", exact: true }).click();
    await this.page.locator("article.live .markdown").waitFor();
  }

  async waitUntilIdle(): Promise<void> {
    await this.page.locator('[data-testid="state-line"][data-state="idle"]').waitFor({ timeout: 900_000 });
  }

  /** Milliseconds of its processor that the page's main thread has used. */
  async mainThreadMs(): Promise<number> {
    const { metrics } = await this.#devTools.send("Performance.getMetrics");
    return 1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN);
  }

  /** Megabytes of the page's heap that something refers to. */
  async heapMb(): Promise<number> {
    await this.#devTools.send("HeapProfiler.collectGarbage");
    const { usedSize } = await this.#devTools.send("Runtime.getHeapUsage");
    return usedSize / 1e6;
  }

  /** Puts a text in place of the open canvas's. */
  async fill(text: string): Promise<void> {
    const { page } = this;
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+a");
    await page.evaluate((pasted) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", pasted);
      const paste = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
      document.querySelector(".cm-content")?.dispatchEvent(paste);
    }, text);
    await delay(2_000);
  }

  /** Types into the open canvas; returns the milliseconds from each key to the frame that shows it. */
  async typed(count: number, everyMs: number): Promise<readonly number[]> {
    const { page } = this;
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
    for (let at = 0; at < count; at += 1) {
      await page.keyboard.press("x");
      await delay(everyMs);
    }
    return page.evaluate(() => (globalThis as unknown as { benchWaits: number[] }).benchWaits.splice(0));
  }

  async close(): Promise<void> {
    await this.#context.close();
    await this.server.close();
  }
}

/** A model that speaks evenly: what a late timer missed follows at once, so that the pace holds. */
function pacedModel(speech: () => Speech): LanguageModel {
  const { info, api } = scriptedModel([], () => Promise.resolve());
  return {
    info,
    api,
    async *stream(_request, signal) {
      const { piecesPerSecond, piece } = speech();
      const begun = performance.now();
      yield { type: "response-started", model: "bench" };
      yield { type: "text-start", index: 0 };
      for (let at = 0; !signal.aborted; at += 1) {
        const text = piece(at);
        if (text === null) break;
        const waitMs = begun + (1000 * at) / piecesPerSecond - performance.now();
        if (waitMs > 0) await delay(waitMs);
        yield { type: "text-delta", index: 0, text };
      }
      yield { type: "text-end", index: 0 };
      yield {
        type: "finished",
        reason: "end-turn",
        usage: noUsage,
      };
    },
  };
}
