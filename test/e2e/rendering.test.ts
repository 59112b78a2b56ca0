import { setTimeout as delay } from "node:timers/promises";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { scriptedModel } from "../../src/adapters/providers/scripted.ts";
import type { LanguageModel } from "../../src/core/port/language-model.ts";
import { startTestServer, type TestServer } from "../../src/testing/test-server.ts";
import { AppPage } from "./app-page.ts";
import { launchBrowser } from "./browser.ts";
import { recordCommits, takeCommits } from "./rendering.ts";

// Checks the cost of a key and of a streamed token: which components of the built app render, as React reports.

const script = scriptedModel(
  [
    [{ type: "text", text: "A first answer." }],
    [{ type: "text", text: Array.from({ length: 200 }, (_, at) => `word${at}`).join(" ") }],
  ],
  () => Promise.resolve(),
);

/** Sends the script's words a few letters at a time. */
const model: LanguageModel = {
  ...script,
  async *stream(request, signal) {
    for await (const part of script.stream(request, signal)) {
      if (part.type === "text-delta") await delay(60);
      yield part;
    }
  },
};

let browser: Browser;
let server: TestServer;
let context: BrowserContext;
let page: Page;
let app: AppPage;

beforeAll(async () => {
  const catalogue = { list: () => [model.info], find: () => model };
  [browser, server] = await Promise.all([launchBrowser(), startTestServer({ catalogue })]);
  context = await browser.newContext({ viewport: { width: 1400, height: 900 }, reducedMotion: "reduce" });
  page = await context.newPage();
  await recordCommits(page);
  app = new AppPage(page);
  await page.goto(server.address);
  await app.waitForConnection("live");
  await app.editor.waitFor();
});

afterAll(async () => {
  await context?.close();
  await browser?.close();
  await server?.close();
});

test("a key in the composer renders only the composer", async () => {
  await app.send("Something to have messages above the composer.");
  await page.locator("article[data-node-id]", { hasText: "A first answer." }).waitFor();
  await app.waitForState("idle");
  await app.composer.click();
  await app.type("a");
  // Parts of the pane are loaded after it, and render when they arrive.
  await page.waitForLoadState("networkidle");
  await expect.poll(() => takeCommits(page), { interval: 300 }).toEqual([]);
  await app.type("bcdef");
  const commits = await takeCommits(page);
  expect(commits.length).toBeGreaterThanOrEqual(5);
  expect(commits.flatMap(({ elsewhere }) => elsewhere)).toEqual([]);
  expect(new Set(commits.flatMap(({ places }) => places))).toEqual(new Set(["composer"]));
  await app.composer.fill("");
});

test("a streamed token renders only the row of the reply", async () => {
  await app.send("Write slowly.");
  const row = page.locator("article.live");
  await row.getByText("word5").waitFor();
  await takeCommits(page);
  const begun = performance.now();
  await row.getByText("word110").waitFor();
  const elapsedMs = performance.now() - begun;
  const commits = await takeCommits(page);
  expect(commits.filter(({ places }) => places.includes("live reply")).length).toBeGreaterThan(5);
  expect(commits.flatMap(({ elsewhere }) => elsewhere)).toEqual([]);
  expect(commits.flatMap(({ places }) => places)).not.toContain("composer");
  // The state line updates the speed by its own clock, twice a second, not with each token.
  const ofStateLine = commits.filter(({ places }) => places.includes("state line"));
  expect(ofStateLine.length).toBeLessThanOrEqual(elapsedMs / 500 + 1);
  expect(app.complaints).toEqual([]);
});
