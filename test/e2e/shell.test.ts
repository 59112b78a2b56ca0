import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../src/testing/test-server.ts";
import { AppPage, openApp } from "./app-page.ts";
import { launchBrowser } from "./browser.ts";
import { temporaryDirectory } from "./server-process.ts";

let browser: Browser;
let server: TestServer;
let folder: Awaited<ReturnType<typeof temporaryDirectory>>;
const token = "shell-token-0123456789abcdef";

beforeAll(async () => {
  folder = await temporaryDirectory();
  [browser, server] = await Promise.all([launchBrowser(), startTestServer({ token })]);
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
  await folder?.remove();
});

/** Everything that the browser keeps for the page: addresses, and whether a text has what must not be in it. */
async function keptBy(page: Page): Promise<readonly { readonly path: string; readonly text: string }[]> {
  return page.evaluate(async () => {
    const found: { path: string; text: string }[] = [];
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys()) {
        const { pathname, search, hash } = new URL(request.url);
        const text = (await (await cache.match(request))?.text()) ?? "";
        found.push({ path: pathname + search + hash, text });
      }
    }
    return found;
  });
}

test("17.18 the browser keeps the page and its scripts alone; they open while the server is away, and never after an update", async () => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const app = new AppPage(await context.newPage());
  const { page } = app;
  await page.goto(server.address);
  await app.waitForConnection("live");
  await app.send("a word that must not be kept");
  await expect
    .poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null), { timeout: 30_000 })
    .toBe(true);
  await page.reload();
  await app.waitForConnection("live");
  await app.editor.waitFor();

  const kept = await keptBy(page);
  expect(kept.map(({ path }) => path)).toContain("/");
  expect(
    kept.filter(({ path }) => !/^\/(?:$|assets\/|theme\.js|[\w-]+\.svg|manifest\.webmanifest)/.test(path)),
  ).toEqual([]);
  expect(kept.filter(({ text }) => text.includes(token) || text.includes("must not be kept"))).toEqual([]);

  // The server is away: the page opens, and says so.
  const { port } = server;
  await server.close();
  await page.reload();
  await page.getByRole("heading", { name: "Heddle can’t reach the server" }).waitFor();

  // Back with another build: that one is shown at once, and nothing of the old one stays.
  const updated = join(folder.path, "web");
  cpSync(join(import.meta.dirname, "../../dist/web"), updated, { recursive: true });
  const html = readFileSync(join(updated, "index.html"), "utf8").replace("<html", "<html data-build=second");
  writeFileSync(join(updated, "index.html"), html);
  writeFileSync(join(updated, "index.html.gz"), gzipSync(html));
  await page.evaluate(async () => (await caches.open("heddle-shell")).put("/assets/old-12345678.js", new Response("")));
  server = await startTestServer({ token, port, appFolder: updated });
  await page.reload();
  await expect.poll(() => page.locator("html").getAttribute("data-build")).toBe("second");
  await app.waitForConnection("live");
  await expect.poll(async () => (await keptBy(page)).some(({ path }) => path.includes("old-1234"))).toBe(false);
  expect((await keptBy(page)).find(({ path }) => path === "/")?.text).toContain("data-build=second");
  rmSync(updated, { recursive: true });
  await context.close();
});

test("17.18 what is opened for the first time while the server is away comes when it answers, and the page stays", async () => {
  await server.close();
  server = await startTestServer({ token });
  const { app, context } = await openApp(browser, server.address);
  const { page } = app;
  await app.placeCaretAfter("This part is yours.");
  const { port } = server;
  await server.close();
  await page.locator('[data-testid="connection"]:not([data-state="live"])').waitFor();
  await page.keyboard.type(" Typed on the train.");
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByText("Heddle is offline. This opens when the server answers.").waitFor();
  await app.editor.getByText("Typed on the train.").waitFor();

  server = await startTestServer({ token, port });
  await page.getByRole("dialog", { name: "Settings" }).waitFor();
  expect(app.complaints).toEqual([]);
  await context.close();
});
