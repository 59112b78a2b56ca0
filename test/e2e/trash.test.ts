import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../src/testing/test-server.ts";
import { Api } from "./api.ts";
import { openApp } from "./app-page.ts";
import { violations } from "./axe.ts";
import { launchBrowser } from "./browser.ts";

let browser: Browser;
let server: TestServer;

beforeAll(async () => {
  [browser, server] = await Promise.all([launchBrowser(), startTestServer({ store: "sqlite" })]);
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

const storedText = (): Promise<string> => new Api({ origin: server.url, token: server.token }).welcomeText();

test("14.1 17.10 delete and restore a canvas: by Undo, from the open page, and from the trash", async () => {
  const { app, context } = await openApp(browser, server.address);
  const { page } = app;
  const before = await storedText();
  const remove = async (): Promise<void> => {
    await page.getByRole("button", { name: /Choose a canvas$/ }).click();
    await page.getByRole("menuitem", { name: "Delete this canvas" }).click();
  };
  const restored = async (): Promise<void> => {
    await app.editor.waitFor();
    await expect.poll(storedText).toBe(before);
  };
  await app.editor.waitFor();

  // The notice offers to undo it.
  await remove();
  const toast = page.locator(".toast");
  await expect.poll(() => toast.textContent()).toContain("is in the trash");
  await toast.getByRole("button", { name: "Undo" }).click();
  await restored();

  // The open page says where the canvas is, also after a reload.
  await remove();
  const place = page.getByRole("region", { name: "In the trash" });
  await place.waitFor();
  await page.reload();
  await place.waitFor();
  expect(await violations(page)).toEqual([]);
  if (process.env["HEDDLE_SCREENSHOTS"] !== undefined) {
    await page.screenshot({ path: `${process.env["HEDDLE_SCREENSHOTS"]}/trash-page.png` });
  }
  await place.getByRole("button", { name: "Restore" }).click();
  await restored();

  // The trash lists it.
  await remove();
  await place.waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("Trash: restore");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Trash" });
  await dialog.getByRole("button", { name: /^Restore / }).waitFor();
  expect(await violations(page)).toEqual([]);
  if (process.env["HEDDLE_SCREENSHOTS"] !== undefined) {
    await page.screenshot({ path: `${process.env["HEDDLE_SCREENSHOTS"]}/trash-dialog.png` });
  }
  // How long it is kept is chosen here.
  await expect.poll(() => dialog.textContent()).toContain("gone for good in 30 days");
  await dialog.getByRole("combobox", { name: "Keep what is deleted" }).selectOption("for 90 days");
  await expect.poll(() => dialog.textContent()).toContain("gone for good in 90 days");
  await dialog.getByRole("button", { name: /^Restore / }).click();
  await expect.poll(() => dialog.textContent()).toContain("The trash is empty");
  await page.keyboard.press("Escape");
  await restored();
  expect(app.complaints).toEqual([]);
  await context.close();
});

test("who types in a document that somebody else deletes types into nothing, and runs no key of the conversation", async () => {
  const { app, context } = await openApp(browser, server.address);
  const { page } = app;
  const api = new Api({ origin: server.url, token: server.token });
  const { conversations } = await api.get<{ conversations: readonly { canvasId: string }[] }>("/api/conversations");
  const own = { focused: page.locator(":focus"), sent: page.locator("article[data-role=user]") };
  const [blockId = ""] = conversations.flatMap(({ canvasId }) => canvasId ?? []);
  await app.editor.click();
  await page.keyboard.type("I am wri");
  await api.post("/api/commands/block.delete", { blockId });
  await page.getByRole("region", { name: "In the trash" }).waitFor();
  await page.keyboard.type("compose rest of my words");
  expect(await own.focused.getAttribute("data-pane")).toBe("canvas");
  expect([await app.composer.inputValue(), await own.sent.count()]).toEqual(["", 0]);
  // In the messages the keys work as before.
  await page.getByRole("main").focus();
  await page.keyboard.press("c");
  await page.keyboard.type("Hello");
  expect(await app.composer.inputValue()).toBe("Hello");
  expect(app.complaints).toEqual([]);
  await context.close();
});
