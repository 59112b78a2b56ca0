import { setTimeout as delay } from "node:timers/promises";
import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core";
import { scriptedModel } from "../../src/adapters/providers/scripted.ts";
import { noUsage } from "../../src/core/message/usage.ts";
import type { LanguageModel } from "../../src/core/port/language-model.ts";
import { must } from "../../src/core/base/assert.ts";
import type { Store } from "../../src/core/port/store.ts";
import { agentAuthor } from "../../src/testing/agent-author.ts";
import { startTestServer, type TestServer } from "../../src/testing/test-server.ts";
import { filledTitle } from "./filled-store.ts";
import { mainThreadMs, mainThreadShare, openMeasures } from "./page-measures.ts";

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
  #isClosed = false;

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

  /** Opens the app with a store of its own, or with this one. */
  static async open(browser: Browser, store: Store | "sqlite" = "sqlite"): Promise<AppBench> {
    let speech: Speech = { piecesPerSecond: 1, piece: () => null };
    const model = pacedModel(() => speech);
    const catalogue = { list: () => [model.info], find: () => model };
    const server = await startTestServer({ catalogue, store });
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
    await context.addInitScript(() => localStorage.setItem("heddle.view", "source"));
    const page = await context.newPage();
    const devTools = await openMeasures(page);
    await page.goto(server.address);
    await page.locator('[data-testid="connection"][data-state="live"]').waitFor();
    if (store === "sqlite") await page.locator(".cm-content").waitFor();
    return new AppBench({ page, server, context, devTools, speak: (next) => (speech = next) });
  }

  /** Asks the model, which then speaks; resolves when its first words are on the page. */
  async ask(speech: Speech): Promise<void> {
    this.#speak(speech);
    await this.page.getByRole("textbox", { name: "Message", exact: true }).fill("Write.");
    await this.page.getByRole("button", { name: "Send", exact: true }).click();
    await this.page.locator("article.live .markdown").waitFor();
  }

  /** Lets an agent write at the end of the open canvas, at a pace, until the app is closed. */
  async write({ piecesPerSecond, piece }: Speech): Promise<void> {
    const { workspace } = this.server;
    const [canvas] = await workspace.canvases();
    const by = await agentAuthor(workspace, "Writer");
    const blockId = must(canvas, "a canvas").id;
    void paced(
      piecesPerSecond,
      () => this.#isClosed,
      async (at) => {
        const text = piece(at);
        if (text !== null) await workspace.hub.editor.appendInBatches(by, blockId, text);
      },
    );
    await this.page.locator(".cm-content", { hasText: piece(0)?.trim() ?? "" }).waitFor();
  }

  async waitUntilIdle(): Promise<void> {
    await this.page.locator('[data-testid="state-line"][data-state="idle"]').waitFor({ timeout: 900_000 });
  }

  /** Milliseconds of its processor that the page's main thread has used. */
  mainThreadMs(): Promise<number> {
    return mainThreadMs(this.#devTools);
  }

  /** Milliseconds a second that the main thread uses meanwhile. */
  mainThreadShare(seconds: number): Promise<number> {
    return mainThreadShare(this.#devTools, seconds);
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

  /** Opens a new conversation, so that no other is drawn. */
  async openEmpty(): Promise<void> {
    const { page } = this;
    await page.getByRole("button", { name: "New conversation", exact: true }).click();
    await page.getByRole("heading", { name: /^Ask/u }).waitFor();
    await page.locator("article[data-node-id]").waitFor({ state: "detached" });
  }

  /** Opens the conversation of a filled store; resolves when its last message and its map are drawn. */
  async openFilled(): Promise<void> {
    const { page } = this;
    await page
      .getByRole("treeitem", { name: new RegExp(filledTitle, "u") })
      .first()
      .click();
    await page.locator("article[data-node-id]").last().waitFor();
    await page.locator("canvas.overview").waitFor();
  }

  /** Scrolls through the messages, a step a frame; returns the milliseconds that the page works for each frame. */
  async scrolled(frames: number, stepPx: number): Promise<readonly number[]> {
    return this.page.evaluate(
      async ({ count, step }) => {
        const scroller = document.querySelector(".messages");
        if (scroller === null) throw new Error("no messages are shown");
        const works: number[] = [];
        const drawn = new MessageChannel();
        for (let at = 0; at < count; at += 1) {
          const begun = await new Promise<number>(requestAnimationFrame);
          scroller.scrollTop -= step;
          await new Promise((resolve) => {
            drawn.port1.addEventListener("message", resolve, { once: true });
            drawn.port1.start();
            drawn.port2.postMessage(null);
          });
          works.push(performance.now() - begun);
        }
        return works;
      },
      { count: frames, step: stepPx },
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#context.close();
    await this.server.close();
  }
}

/** Does work evenly: what a late timer missed follows at once, so that the pace holds. Does not wait for it. */
async function paced(perSecond: number, isOver: () => boolean, work: (at: number) => Promise<void>): Promise<void> {
  const begun = performance.now();
  for (let at = 0; !isOver(); at += 1) {
    const waitMs = begun + (1000 * at) / perSecond - performance.now();
    if (waitMs > 0) await delay(waitMs);
    void work(at);
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
