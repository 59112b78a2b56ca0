import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { violations } from "./axe.ts";
import { launchBrowser } from "./browser.ts";

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
});

const styles = `
  @keyframes fade { from { opacity: 0.4 } }
  @keyframes turn { to { rotate: 1turn } }
  .fading { animation: fade 3s }
  .endless { animation: turn 1s infinite }
  body { background: #fff; color: #222 }`;

/** Words that are readable once they have faded in, beside a sign that turns for ever. */
const readable = `<!doctype html><html lang="en"><head><title>Words</title><style>${styles}</style></head><body><main>
  <h1>Words</h1><span class="endless">-</span>
  <div id="host"><template shadowrootmode="open"><style>${styles}</style><p>In a shadow tree.</p></template></div>
  <dialog aria-label="Question"><p>In a dialog.</p></dialog></main></body></html>`;

test("the colours of words that fade in are examined when they have arrived, in shadow trees too", async () => {
  const page = await browser.newPage();
  await page.setContent(readable);
  expect(await violations(page)).toEqual([]);
  await page.evaluate(() => document.getElementById("host")?.shadowRoot?.querySelector("p")?.classList.add("fading"));
  expect(await violations(page)).toEqual([]);
  await page.evaluate(() => {
    const dialog = document.querySelector("dialog");
    dialog?.classList.add("fading");
    dialog?.showModal();
  });
  expect(await violations(page)).toEqual([]);
  await page.close();
});

test("words that stay too pale are found", async () => {
  const page = await browser.newPage();
  await page.setContent(readable.replace("color: #222", "color: #aaa"));
  expect((await violations(page)).join("\n")).toContain("color-contrast");
  await page.close();
});
