import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { titleUnitsMax } from "../../src/core/protocol/base/limits.ts";
import { startMockProvider, type MockProvider } from "../../src/testing/mock-provider/server.ts";
import { brain } from "../process/provider-bench.ts";
import { type AppPage, openApp } from "./app-page.ts";
import { violations } from "./axe.ts";
import { launchBrowser } from "./browser.ts";
import { startServerProcess, temporaryDirectory, type ServerProcess } from "./server-process.ts";

let browser: Browser;
let server: ServerProcess;
let provider: MockProvider;
let folder: Awaited<ReturnType<typeof temporaryDirectory>>;

beforeAll(async () => {
  folder = await temporaryDirectory();
  provider = await startMockProvider({
    api: "anthropic",
    apiKey: "another key",
    reply: brain(() => [{ type: "text", text: "Nobody gets here." }]),
  });
  [browser, server] = await Promise.all([
    launchBrowser(),
    startServerProcess({
      dataDirectory: folder.path,
      env: { HEDDLE_MODEL: "scripted/scribe", ANTHROPIC_BASE_URL: provider.url },
    }),
  ]);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await provider?.close();
  await folder?.remove();
});

const wide = { width: 1280, height: 800 } as const;
const narrow = { width: 390, height: 844 } as const;

/**
 * Returns axe's findings in both themes and both widths, and in each pane where the narrow page shows one pane at a
 * time.
 */
async function audit(page: Page, state: string): Promise<readonly string[]> {
  const found: string[] = [];
  const look = async (where: string): Promise<void> => {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      found.push(...(await violations(page)).map((violation) => `${state}, ${where}, ${colorScheme}: ${violation}`));
    }
  };
  await page.setViewportSize(wide);
  await look("wide");
  await page.setViewportSize(narrow);
  const tabs = page.locator(".tab-bar button");
  const covered = (await page.locator("dialog[open]").count()) > 0;
  if (covered || (await tabs.count()) === 0) await look("narrow");
  else {
    for (const tab of await tabs.all()) {
      await tab.click();
      await look(`narrow, ${await tab.textContent()}`);
    }
  }
  await page.setViewportSize(wide);
  return found;
}

describe("axe finds no accessibility problem", () => {
  let app: AppPage;
  beforeAll(async () => {
    ({ app } = await openApp(browser, server.url, { viewport: wide }));
  });

  test("at first and while an agent works", async () => {
    expect(await audit(app.page, "first run")).toEqual([]);
    await app.send("Add a section on looms, then add a section on warps, then add a section on wefts");
    await app.page.getByRole("button", { name: "Take control" }).waitFor();
    expect(await audit(app.page, "at work")).toEqual([]);
  });

  test("after control was taken, in an edit, and with two branches", async () => {
    const { page } = app;
    await page.getByRole("button", { name: "Take control" }).click();
    await app.waitForState("idle", "cancelled");
    await page.locator(".tool-line").first().click();
    await page.getByRole("button", { name: "Edit message" }).first().click();
    expect(await audit(page, "control taken, a tool's details, an edit")).toEqual([]);
    await page.getByRole("textbox", { name: "Edit message" }).fill("Summarise the document");
    await page.getByRole("button", { name: "Send as new branch" }).click();
    await page.locator(".versions-count", { hasText: "2/2" }).waitFor();
    await app.waitForState("idle");
    expect(await audit(page, "two branches")).toEqual([]);
  });

  test.each([
    ["palette", (page: Page) => page.keyboard.press("Control+k")],
    ["settings", (page: Page) => page.getByRole("button", { name: "Settings" }).click()],
    ["help", (page: Page) => page.getByRole("button", { name: "Keyboard help" }).click()],
    [
      "new canvas",
      async (page: Page) => {
        await page.keyboard.press("Control+k");
        await page.keyboard.type("new canvas");
        await page.keyboard.press("Enter");
        await page.getByRole("dialog", { name: "New canvas" }).waitFor();
      },
    ],
  ] as const)("in the dialog: %s", async (name, open) => {
    const { page } = app;
    await open(page);
    await page.locator("dialog[open]").waitFor();
    expect(await audit(page, name)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.locator("dialog[open]").waitFor({ state: "detached" });
  });

  test("after an error and without the server", async () => {
    const { page } = app;
    await page.getByRole("combobox", { name: "Model" }).selectOption({ index: 0 });
    await expect.poll(async () => page.locator(".usage-line").textContent()).toContain("anthropic/");
    await app.send("Are you there?");
    await app.waitForState("error");
    expect(await audit(page, "an error")).toEqual([]);
    await server.kill();
    await app.waitForState("reconnecting", "offline");
    expect(await audit(page, "without the server")).toEqual([]);
    await page.context().close();
  });
});

test("a dialog opened by the key after Escape stays open, though the browser tells only then that the one before has closed", async () => {
  await server.kill();
  server = await startServerProcess({ dataDirectory: folder.path, env: { HEDDLE_MODEL: "scripted/scribe" } });
  const { app, context } = await openApp(browser, server.url, { viewport: wide });
  const { page } = app;
  for (const name of ["Search everything", "Search or run"]) {
    await page.keyboard.press(name === "Search or run" ? "Control+k" : "Control+Shift+f");
    await page.getByRole("combobox", { name }).waitFor();
    // Both keys in one task: the browser tells of the closed dialog in a task of its own, after them.
    await page.evaluate(async () => {
      document.querySelector("dialog")?.requestClose();
      await new Promise<void>((resolve) => queueMicrotask(resolve));
      document.dispatchEvent(new KeyboardEvent("keydown", { key: "k", code: "KeyK", ctrlKey: true, bubbles: true }));
    });
    await page.keyboard.type("new canvas");
    expect(await page.getByRole("combobox", { name: "Search or run" }).inputValue()).toBe("new canvas");
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator("dialog").count()).toBe(0);
  }
  expect(app.complaints).toEqual([]);
  await context.close();
});

test("the keyboard alone creates a canvas, writes in it and asks for a change", async () => {
  await server.kill();
  server = await startServerProcess({ dataDirectory: folder.path, env: { HEDDLE_MODEL: "scripted/scribe" } });
  const { app, context } = await openApp(browser, server.url, { viewport: wide });
  const { page } = app;
  await page.keyboard.press("Control+k");
  await page.keyboard.type("new canvas");
  await page.keyboard.press("Enter");
  const title = page.getByRole("dialog", { name: "New canvas" }).getByLabel("Title");
  // The field allows as many characters as the server does.
  await expect.poll(() => title.getAttribute("maxlength")).toBe(String(titleUnitsMax));
  await page.keyboard.type("Plan");
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Text of Plan" }).waitFor();
  await page.keyboard.press("Control+3");
  await page.keyboard.type("# Plan\n\nWe begin.");
  await page.keyboard.press("Alt+Shift+N");
  await page.getByRole("heading", { name: "Ask for a change in Plan" }).waitFor();
  await page.keyboard.press("Control+2");
  await page.keyboard.type("Add a section on bridges");
  await page.keyboard.press("Enter");
  await expect.poll(() => app.canvasText(), { timeout: 30_000 }).toContain("## Bridges");
  await app.waitForState("idle");
  await expect.poll(() => app.canvasText()).toMatch(/^# Plan\n\nWe begin\./);
  expect(app.complaints).toEqual([]);
  await context.close();
});
