import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectHeddle } from "../../src/client/connect.ts";
import { startTestServer, type TestServer } from "../../src/testing/test-server.ts";
import { AppPage, boxOf, openApp } from "./app-page.ts";
import { violations } from "./axe.ts";
import { launchBrowser } from "./browser.ts";

// What a person sees at widths between a phone and a desk, with long words, and while the server is away.

let browser: Browser;
let server: TestServer;

beforeAll(async () => {
  [browser, server] = await Promise.all([launchBrowser(), startTestServer()]);
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

/** Whether two parts of the page share more than a hairline. */
async function overlap(one: Locator, other: Locator): Promise<boolean> {
  const [a, b] = await Promise.all([boxOf(one), boxOf(other)]);
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return width > 1 && height > 1;
}

/** Makes the page so wide, and shows its document where it has one pane. */
async function showDocumentAt(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 720 });
  const tab = page.locator(".tab-bar").getByRole("button", { name: "Canvas" });
  if (width < 720) await tab.click();
  else await tab.waitFor({ state: "detached" });
}

test("17.4 the list of comments covers no line of the text at any width, and the words it is about stay in sight", async () => {
  const { app, context } = await openApp(browser, server.address, { viewport: { width: 1280, height: 720 } });
  const { page } = app;
  await app.editor.click();
  await page.keyboard.press("Control+End");
  await app.type("\nThe brown fox jumps.");
  await page.keyboard.press("Shift+Home");
  await page.getByRole("toolbar", { name: "Selected words" }).waitFor();
  await page.keyboard.press("Control+Alt+m");
  await page.getByRole("textbox", { name: /^Comment\./ }).waitFor();
  const text = page.locator(".editor-host");
  const panel = page.locator(".comments-panel");
  // The panel takes its room at the foot, where these words were.
  await expect.poll(async () => overlap(page.locator(".cm-line").last(), text)).toBe(true);
  await app.type("Is it a fox?");
  await page.keyboard.press("Enter");
  await page.locator(".comment-thread[data-thread]").waitFor();
  for (const width of [1900, 1280, 1000, 760, 600, 390]) {
    await showDocumentAt(page, width);
    // Also on a page with one pane, which opens the document again.
    await panel.waitFor();
    await expect.poll(() => overlap(panel, text), { message: String(width) }).toBe(false);
    expect((await boxOf(text)).height, String(width)).toBeGreaterThan(200);
    expect((await boxOf(text)).width, String(width)).toBeGreaterThan(320);
    expect(await violations(page)).toEqual([]);
  }
  expect(app.complaints).toEqual([]);
  await context.close();
});

/** What can be pressed in the bars and leaves its bar or the page. */
async function cutOff(page: Page): Promise<readonly string[]> {
  return page.locator(".top-bar :visible, .pane-head :visible").evaluateAll((all) =>
    all.flatMap((element) => {
      if (!element.matches("button, input, select")) return [];
      const box = element.getBoundingClientRect();
      const bar = element.closest(".top-bar, .pane-head")?.getBoundingClientRect();
      const end = Math.min(bar?.right ?? 0, document.documentElement.clientWidth);
      return box.right <= end + 0.5 ? [] : [`${element.getAttribute("aria-label") ?? ""} ${Math.round(box.right)}`];
    }),
  );
}

test.each([
  ["a mouse", { hasTouch: false }],
  ["a finger", { hasTouch: true }],
])(
  "17.20 from 320 pixels on, nothing in the bars lies over something else, and the page does not scroll sideways: %s",
  async (_pointer, { hasTouch }) => {
    const others = ["Bo", "Cy", "Di"].map((name) =>
      connectHeddle({ url: server.url, token: server.token, clientId: `page-of-${name}-00001`, name }),
    );
    const { app, context } = await openApp(browser, server.address, {
      viewport: { width: 1280, height: 720 },
      hasTouch,
    });
    const { page } = app;
    const title = "What the committee for the summer festival decided about the lanterns";
    await page.getByRole("button", { name: "Rename the conversation" }).click();
    await page.getByRole("textbox", { name: "Title" }).fill(title);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: title }).waitFor();
    const people = page.getByRole("list", { name: "People here" });
    for (const width of [320, 360, 390, 600, 720, 760, 800, 844, 1000, 1100, 1280]) {
      await page.setViewportSize({ width, height: 720 });
      const message = String(width);
      for (const pane of width < 720 ? ["Chat", "Forest", "Canvas"] : [null]) {
        if (pane !== null) await page.locator(".tab-bar").getByRole("button", { name: pane }).click();
        await expect.poll(() => cutOff(page), { message: `${message} ${pane ?? ""}` }).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth), message).toBeLessThanOrEqual(width);
      }
      // Whoever has no face is counted.
      await expect.poll(async () => people.innerText(), { message }).toMatch(width < 720 ? /\+3/ : /^(?!.*\+)/);
      const foot = page.locator(".canvas-foot");
      await foot.waitFor();
      if (await foot.locator(".word-count").isVisible()) {
        await expect
          .poll(() => overlap(foot.locator(".split-button"), foot.locator(".word-count")), { message })
          .toBe(false);
      }
      const parts = page.locator(".top-bar > :visible:not(.spacer)");
      for (let at = 1; at < (await parts.count()); at += 1) {
        expect(await overlap(parts.nth(at - 1), parts.nth(at)), `${message}, part ${at}`).toBe(false);
      }
    }
    expect(app.complaints).toEqual([]);
    for (const other of others) other.close();
    await context.close();
  },
);

test("17.5 the columns of a table are as wide as their words, and an Arabic table begins at the right", async () => {
  const author = await server.workspace.ownAuthor("test");
  const long = "Aufmerksamkeitsdefizithyperaktivität".repeat(2);
  const table = (first: string, second: string): string => `| ${first} | ${second} |\n|---|---|\n| 1 | 2 |\n`;
  const wide = `| seven | one | two | three |\n|---|---|---|---|\n| a | ${long} | ${long} | ${long} |\n`;
  const text = `# Tables\n\n${wide}\n${table("اسم", "قيمة")}`;
  await server.workspace.createCanvas(author, { title: "Tables", text });
  const { app, context } = await openApp(browser, server.address, { viewport: { width: 1280, height: 900 } });
  const { page } = app;
  await page.evaluate(() => localStorage.setItem("heddle.view", "live"));
  await page.reload();
  await page.getByRole("tree", { name: "Documents" }).getByRole("treeitem", { name: "Tables" }).click();
  const heading = page.getByRole("columnheader", { name: "seven" });
  await expect.poll(async () => (await boxOf(heading)).height).toBeLessThan(60);
  const [first, second] = ["اسم", "قيمة"].map((name) => page.getByRole("columnheader", { name }));
  if (first === undefined || second === undefined) throw new Error("two columns");
  expect((await boxOf(first)).x).toBeGreaterThan((await boxOf(second)).x);
  await context.close();
});

test("17.20 the page that asks for the token fits a phone, and an address that is pasted over it opens", async () => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  const app = new AppPage(await context.newPage());
  const { page } = app;
  await page.goto(`${server.url}/#token=wrong`);
  await page.getByRole("heading", { name: "The token is wrong" }).waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  expect(await violations(page)).toEqual([]);
  // The same page with another hash: a browser loads nothing by itself.
  await page.goto(server.address);
  await app.waitForConnection("live");
  await context.close();
});

test("17.10 while the server is away lists stay, a search does not say that there is nothing, a new canvas says that it waits, and + is off", async () => {
  const away = await startTestServer();
  const { app, context } = await openApp(browser, away.address, { viewport: { width: 1280, height: 800 } });
  const { page } = app;
  await page.setViewportSize({ width: 390, height: 844 });
  const pane = (name: string): Promise<void> => page.locator(".tab-bar").getByRole("button", { name }).click();
  await pane("Forest");
  await page.getByRole("treeitem", { name: "Welcome" }).first().waitFor();
  await pane("Canvas");
  await app.editor.click();
  await page.evaluate(() => scrollTo(0, 0));
  await away.close();
  const chip = page.getByTestId("connection");
  await expect.poll(() => chip.getAttribute("data-state")).toMatch(/offline|reconnecting/);
  await app.type("Typed on the train. ");
  await app.waitForConnection("offline");
  // One line, in the bar; the state line below says the rest.
  expect((await boxOf(chip)).height).toBeLessThan(48);
  expect(await chip.evaluate((element) => element.scrollHeight <= element.clientHeight)).toBe(true);
  expect(await cutOff(page)).toEqual([]);
  await expect.poll(() => page.getByTestId("state-line").textContent()).toContain("edits waiting");
  await pane("Chat");
  await pane("Forest");
  await page.getByRole("treeitem", { name: "Welcome" }).first().waitFor();
  expect(await page.getByRole("treeitem", { name: "Welcome" }).count()).toBe(2);
  await page.setViewportSize({ width: 1280, height: 800 });
  expect(await page.getByRole("treeitem", { name: "Welcome" }).count()).toBe(2);
  const add = page.getByRole("button", { name: "New document" });
  expect(await add.isDisabled()).toBe(true);
  expect(await add.getAttribute("title")).toContain("Heddle is offline.");

  await page.keyboard.press("Control+Shift+f");
  await page.getByRole("combobox", { name: "Search everything" }).fill("introduction");
  await page.getByText("Heddle is offline. The search goes on when the server answers.").waitFor();
  await page.keyboard.press("Escape");

  await page.keyboard.press("Control+k");
  await page.keyboard.type("new canvas");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "New canvas" });
  await dialog.getByLabel("Title").fill("Plan");
  await dialog.getByRole("button", { name: "Make the canvas" }).click();
  await dialog
    .getByText("Heddle is offline. The canvas is made when the server answers; you can close this meanwhile.")
    .waitFor();
  await context.close();
});
