import type { Browser } from "playwright-core";
import { startTestServer } from "../../src/testing/test-server.ts";

/** What a browser that has never seen the app waits for. Milliseconds from the address to each. */
export interface ColdLoad {
  readonly firstPaint: number;
  /** Until the message field takes keys. */
  readonly message: number;
  /** Until the open document takes keys. */
  readonly document: number;
}

/** A line as phones have it: 10 Mbit/s, and 40 ms until an answer begins. */
const line = { offline: false, latency: 40, downloadThroughput: 1_250_000, uploadThroughput: 1_250_000 };

const fields = { message: "textarea[aria-label=Message]", document: ".cm-content[contenteditable=true]" } as const;

/** Opens the built app in a browser without a cache, over a slow line, and types in it as soon as it can be typed in. */
export async function coldLoad(browser: Browser): Promise<ColdLoad> {
  const server = await startTestServer({ store: "sqlite" });
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  try {
    const page = await context.newPage();
    const devTools = await context.newCDPSession(page);
    await devTools.send("Network.emulateNetworkConditions", line);
    await page.addInitScript((selectors) => {
      if (window.top !== window) return;
      const seen: Record<string, number> = {};
      Object.assign(globalThis, { benchSeen: seen });
      const isThere = (selector: string, root: Document | ShadowRoot): boolean =>
        root.querySelector(selector) !== null ||
        [...root.querySelectorAll("*")].some(({ shadowRoot }) => shadowRoot !== null && isThere(selector, shadowRoot));
      const look = (): void => {
        for (const [name, selector] of Object.entries(selectors))
          if (!(name in seen) && isThere(selector, document)) seen[name] = performance.now();
        if (Object.keys(seen).length < Object.keys(selectors).length) requestAnimationFrame(look);
      };
      look();
    }, fields);
    await page.goto(server.address);
    const field = page.locator(fields.message);
    await field.fill("");
    await page.keyboard.type("cold");
    if ((await field.inputValue()) !== "cold") throw new Error("the message field lost keys");
    const editor = page.locator(fields.document);
    await editor.click();
    await page.keyboard.type("cold");
    await editor.filter({ hasText: "cold" }).waitFor();
    return await page.evaluate(() => {
      const seen = (globalThis as unknown as { benchSeen: Record<"message" | "document", number> }).benchSeen;
      const firstPaint = performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN;
      return { firstPaint, ...seen };
    });
  } finally {
    await context.close();
    await server.close();
  }
}
