import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../src/testing/test-server.ts";
import { AppPage, boxOf } from "./app-page.ts";
import { violations } from "./axe.ts";
import { launchBrowser } from "./browser.ts";

let browser: Browser;
let server: TestServer;
const phone = { width: 390, height: 800 } as const;

beforeAll(async () => {
  [browser, server] = await Promise.all([launchBrowser(), startTestServer()]);
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

/** What can be pressed and is lower than a finger; words within a text are left out. */
async function tooSmall(page: Page): Promise<readonly string[]> {
  return page.locator("button, select, summary, [role=tab], [role=treeitem], input[type=checkbox]").evaluateAll((all) =>
    all.flatMap((element) => {
      const box = element.getBoundingClientRect();
      const isSeen =
        box.width > 1 && box.height > 1 && element.checkVisibility() && box.bottom > 0 && box.top < innerHeight;
      const isInText = element.closest(".markdown, .cm-content") !== null;
      // A field's label is pressed too.
      const pressed = Math.max(box.height, element.closest("label")?.getBoundingClientRect().height ?? 0);
      if (!isSeen || isInText || pressed >= 43.5) return [];
      const name = element.getAttribute("aria-label") ?? element.textContent ?? "";
      return [`${element.className || element.tagName} “${name.trim().slice(0, 40)}” ${Math.round(pressed)}`];
    }),
  );
}

test("17.18 on a phone what is pressed is 44 pixels high, dialogs are sheets, and the bar for selected words is at the foot", async () => {
  const context = await browser.newContext({ viewport: phone, hasTouch: true, isMobile: true });
  const app = new AppPage(await context.newPage());
  const { page } = app;
  await page.goto(server.address);
  await app.waitForConnection("live");
  await app.send("What can you do?");
  await app.waitForState("idle");
  for (const name of ["Chat", "Forest", "Canvas"]) {
    await page.locator(".tab-bar").getByRole("button", { name }).tap();
    await expect.poll(() => tooSmall(page), { message: name }).toEqual([]);
  }

  await page.getByRole("button", { name: "Settings" }).tap();
  const sheet = page.getByRole("dialog", { name: "Settings" });
  await expect.poll(() => tooSmall(page), { message: "settings" }).toEqual([]);
  await expect
    .poll(async () => {
      const { x, y, width, height } = await boxOf(sheet);
      return [x, Math.round(width), Math.round(y + height)];
    })
    .toEqual([0, phone.width, phone.height]);
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Escape");

  await app.editor.locator(".cm-line").nth(2).dblclick();
  const bar = page.getByRole("toolbar", { name: "Selected words" });
  const box = await boxOf(bar);
  expect([Math.round(box.x), Math.round(box.width)]).toEqual([0, phone.width]);
  // It covers neither the words nor the ways to the other panes.
  const foot = await boxOf(page.locator(".tab-bar"));
  expect(box.y).toBeGreaterThan(phone.height / 2);
  expect(box.y + box.height).toBeLessThanOrEqual(foot.y);
  await bar.getByRole("button", { name: "Comment" }).tap();
  await page.getByRole("textbox", { name: /^Comment\./ }).waitFor();
  expect(await tooSmall(page)).toEqual([]);
  expect(await violations(page)).toEqual([]);
  expect(app.complaints).toEqual([]);
  await context.close();
});

test("17.18 on a phone the name of a canvas is read whole, and what is done with it is beneath, as large as a finger", async () => {
  const context = await browser.newContext({ viewport: phone, hasTouch: true, isMobile: true });
  const app = new AppPage(await context.newPage());
  const { page } = app;
  await page.goto(server.address);
  await app.waitForConnection("live");
  await page.locator(".tab-bar").getByRole("button", { name: "Canvas" }).tap();
  const picker = page.locator(".canvas-picker");
  await picker.tap();
  await page.getByRole("menuitem", { name: "New canvas…" }).tap();
  const name = "Questions for the second interview";
  await page.getByRole("textbox", { name: "Title" }).fill(name);
  await page.getByRole("button", { name: "Make the canvas" }).tap();
  const title = picker.locator(".pane-title").filter({ hasText: name });
  await title.waitFor();
  expect(await title.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  const menu = await boxOf(page.locator(".canvas-pane .pane-head button").last());
  expect(menu.x + menu.width).toBeLessThanOrEqual(phone.width);
  // At the foot nothing lies on something else.
  const gaps = await page.locator(".canvas-foot button, .word-count").evaluateAll((all) => {
    const boxes = all.map((each) => each.getBoundingClientRect()).filter(({ width }) => width > 0);
    return boxes.slice(1).map(({ left }, at) => left - (boxes[at]?.right ?? 0));
  });
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0);
  expect(await tooSmall(page)).toEqual([]);
  expect(await violations(page)).toEqual([]);
  expect(app.complaints).toEqual([]);
  await context.close();
});
