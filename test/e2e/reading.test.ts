import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { boxOf, openApp } from "./app-page.ts";
import { launchBrowser } from "./browser.ts";
import { startServerProcess, temporaryDirectory, type ServerProcess } from "./server-process.ts";

let browser: Browser;
let server: ServerProcess;
let folder: Awaited<ReturnType<typeof temporaryDirectory>>;

beforeAll(async () => {
  folder = await temporaryDirectory();
  [browser, server] = await Promise.all([launchBrowser(), startServerProcess({ dataDirectory: folder.path })]);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await folder?.remove();
});

test("an agent at work moves no line that is being read, and its edits out of sight are one press away", async () => {
  const { app, context } = await openApp(browser, server.url, { viewport: { width: 1300, height: 700 } });
  const { page } = app;
  const line = app.editor.locator(".cm-line", { hasText: "Things to try" });
  const top = async (): Promise<number> => (await boxOf(line)).y;
  const before = await top();
  await app.send("Add a section on testing");
  await page.getByRole("button", { name: "Take control" }).waitFor();
  expect(await top()).toBe(before);
  const hint = page.getByRole("button", { name: "Scribe edited below" });
  await hint.waitFor();
  expect(await top()).toBe(before);
  await hint.click();
  await app.editor.locator(".cm-line", { hasText: "## Testing" }).waitFor();
  await expect.poll(() => hint.count()).toBe(0);
  await app.waitForState("idle");
  expect(app.complaints).toEqual([]);
  await context.close();
});
