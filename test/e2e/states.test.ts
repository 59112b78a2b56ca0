import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../src/testing/test-server.ts";
import { Api } from "./api.ts";
import { openApp, type AppPage } from "./app-page.ts";
import { violations } from "./axe.ts";
import { launchBrowser } from "./browser.ts";

let browser: Browser;
let server: TestServer;

beforeAll(async () => {
  [browser, server] = await Promise.all([launchBrowser(), startTestServer({ store: "memory" })]);
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

const wide = { width: 1400, height: 900 } as const;
const phone = { width: 390, height: 844 } as const;

/** How a state is looked at: light, dark, in the system's own high-contrast colours, and on a phone. */
const looks = {
  light: { colorScheme: "light", forcedColors: "none" },
  dark: { colorScheme: "dark", forcedColors: "none" },
  contrast: { colorScheme: "dark", forcedColors: "active" },
  phone: { colorScheme: "light", forcedColors: "none" },
} as const;

/** Looks at a state in every way; axe finds nothing in any. With HEDDLE_SCREENSHOTS set, a picture of each is kept there. */
async function lookAt(page: Page, state: string): Promise<void> {
  const folder = process.env["HEDDLE_SCREENSHOTS"];
  const found: string[] = [];
  for (const [look, media] of Object.entries(looks)) {
    await page.emulateMedia(media);
    if (look === "phone") {
      await page.setViewportSize(phone);
      await page.locator('.page[data-breadth="narrow"]').waitFor();
    }
    found.push(...(await violations(page)).map((finding) => `${state}, ${look}: ${finding}`));
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${state}-${look}.png` });
  }
  await page.emulateMedia({ colorScheme: null, forcedColors: null });
  await page.setViewportSize(wide);
  await page.locator('.page[data-breadth="wide"]').waitFor();
  expect(found).toEqual([]);
}

const storedText = (): Promise<string> => new Api({ origin: server.url, token: server.token }).welcomeText();

async function inPalette(page: Page, command: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.keyboard.type(command);
  await page.keyboard.press("Enter");
}

test("17.20 every state is without a finding in light, dark, high contrast and on a phone: page, dialogs, review", async () => {
  const { app, context } = await openApp(browser, server.address, { viewport: wide });
  const { page } = app;
  await lookAt(page, "first");
  await app.send("Add a section on rivers");
  await app.waitForState("idle");
  await lookAt(page, "answered");
  await page.getByRole("radio", { name: "Suggest" }).click();
  await app.send("Tighten the introduction");
  await app.waitForState("idle");
  await page.getByRole("region", { name: "Suggestions" }).locator(".review-title").click();
  await lookAt(page, "suggestions");
  await page.keyboard.press("F7");
  await page.keyboard.press("Shift+N");
  await page.getByRole("region", { name: "Suggestions" }).waitFor({ state: "detached" });
  await page.getByRole("radio", { name: "Live" }).click();
  for (const [state, open] of dialogs) {
    await open(page);
    await page.locator("dialog[open]").waitFor();
    await lookAt(page, state);
    await page.keyboard.press("Escape");
    await page.locator("dialog[open]").waitFor({ state: "detached" });
  }
  expect(app.complaints).toEqual([]);
  await context.close();
});

const dialogs: readonly (readonly [state: string, open: (page: Page) => Promise<void>])[] = [
  ["palette", (page) => page.keyboard.press("Control+k")],
  [
    "settings",
    async (page) => {
      await page.getByRole("button", { name: "Settings" }).click();
      await page.getByRole("dialog", { name: "Settings" }).getByLabel("Your name").waitFor();
    },
  ],
  ["help", (page) => page.getByRole("button", { name: "Keyboard help" }).click()],
  ["history", (page) => page.getByRole("button", { name: "History", exact: true }).click()],
  ["trash", (page) => inPalette(page, "Trash: restore")],
];

test("17.8 17.4 drafts, branches and comments are without a finding in light, dark, high contrast and on a phone", async () => {
  const { app, context } = await openApp(browser, server.address, { viewport: wide });
  const { page } = app;
  await page.getByRole("button", { name: "New conversation" }).click();
  await page.getByRole("combobox", { name: "Replies" }).selectOption("2");
  await app.send("Add a section on bridges");
  const strip = page.getByRole("region", { name: "Drafts" });
  await strip.getByText("2 drafts of this document wait").waitFor();
  await app.waitForState("idle");
  await lookAt(page, "drafts-strip");
  await strip.getByRole("button", { name: "Compare and take" }).click();
  const dialog = page.getByRole("dialog", { name: /^Drafts of/ });
  for (const view of ["Changes", "Text", "Write"]) {
    await dialog.getByRole("radio", { name: view, exact: true }).click();
    if (view === "Write") await dialog.getByRole("textbox", { name: /^Text of draft/ }).waitFor();
    else await expect.poll(() => dialog.getByText("Comparing…").count()).toBe(0);
    await lookAt(page, `drafts-${view.toLowerCase()}`);
  }
  await page.keyboard.press("Escape");
  // It is closed before it is gone from the page.
  await expect.poll(() => page.locator(".cm-content").count()).toBe(1);
  await app.editor.click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("Shift+End");
  await page.getByRole("toolbar", { name: "Selected words" }).waitFor();
  await lookAt(page, "selection");
  await page.keyboard.press("Control+Alt+m");
  await page.getByRole("textbox", { name: /^Comment\./ }).waitFor();
  await app.type("Is this the title?");
  await page.keyboard.press("Enter");
  await page.locator(".comment-range").waitFor();
  // The bar at the words makes room for their thread.
  await page.getByRole("toolbar", { name: "Selected words" }).waitFor({ state: "detached" });
  await lookAt(page, "comments");
  expect(app.complaints).toEqual([]);
  await context.close();
});

/** Presses Tab until something of this name has the focus. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let presses = 0; presses < 160; presses += 1) {
    const focused = await page.evaluate(() => {
      const element = document.activeElement;
      const label = element instanceof HTMLElement && "labels" in element ? (element as HTMLInputElement).labels : null;
      return element?.getAttribute("aria-label") ?? label?.[0]?.textContent ?? element?.textContent ?? "";
    });
    if (name.test(focused.trim())) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`no Tab leads to ${name.source}`);
}

test("17.8 by keyboard alone: a question is asked twice, drafts are compared, one is written in and taken, branches are gone through", async () => {
  const { app, context } = await openApp(browser, server.address, { viewport: wide });
  const { page } = app;
  await page.keyboard.press("Alt+Shift+N");
  await page.getByRole("heading", { name: /^Ask/ }).waitFor();
  await page.keyboard.press("Control+2");
  await tabTo(page, /^Replies$/);
  await page.keyboard.press("ArrowDown");
  await expectReplies(app, "2");
  await page.keyboard.press("Control+2");
  await page.keyboard.type("Add a section on lanterns");
  await page.keyboard.press("Enter");
  const strip = page.getByRole("region", { name: "Drafts" });
  await strip.getByText(/drafts of this document wait/).waitFor();
  await app.waitForState("idle");

  await page.keyboard.press("Control+1");
  await tabTo(page, /^Compare and take$/);
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: /^Drafts of/ });
  await dialog.waitFor();
  await tabTo(page, /^Changes$/);
  await page.keyboard.press("ArrowRight");
  await dialog.getByRole("region", { name: /^Text of draft/ }).waitFor();
  await page.keyboard.press("ArrowRight");
  await dialog.getByRole("textbox", { name: /^Text of draft/ }).waitFor();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("\nBy keys alone.");
  await tabTo(page, /^Take draft \d+$/);
  await page.keyboard.press("Enter");
  await expect.poll(storedText).toContain("By keys alone.");
  expect(await storedText()).toContain("## Lanterns");
  await dialog.waitFor({ state: "detached" });

  // From one reply's branch to the other's and back.
  await page.keyboard.press("Control+2");
  await page.keyboard.press("Escape");
  const shown = page.locator(".versions-count").first();
  const first = await shown.textContent();
  await page.keyboard.press("g");
  await page.keyboard.press("j");
  await page.keyboard.press(first === "1/2" ? "Alt+ArrowDown" : "Alt+ArrowUp");
  await expect.poll(() => shown.textContent()).not.toBe(first);
  // The take is undone by keys too.
  await page.keyboard.press("Control+3");
  await page.keyboard.press("Control+z");
  await expect.poll(storedText).not.toContain("By keys alone.");
  expect(app.complaints).toEqual([]);
  await context.close();
});

test("17.3 17.4 by keyboard alone: a document is made, an agent’s suggestion is read and kept, words are commented on, answered and resolved", async () => {
  const { app, context } = await openApp(browser, server.address, { viewport: wide });
  const { page } = app;
  await inPalette(page, "new canvas");
  await page.getByRole("dialog", { name: "New canvas" }).waitFor();
  await page.keyboard.type("Keys");
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Text of Keys" }).waitFor();
  await page.keyboard.press("Control+3");
  await page.keyboard.type("# Keys\n\nThe brown fox jumps.\n");
  for (const policy of ["Lease", "Suggest"]) {
    await page.keyboard.press("Control+/");
    await expect.poll(() => page.getByRole("radio", { name: policy }).isChecked()).toBe(true);
  }
  await page.keyboard.press("Alt+Shift+N");
  await page.getByRole("heading", { name: "Ask for a change in Keys" }).waitFor();
  await page.keyboard.press("Control+2");
  await page.keyboard.type("Add a section on rivers");
  await page.keyboard.press("Enter");
  const review = page.getByRole("region", { name: "Suggestions" });
  await review.getByText("1 suggestion by Scribe").waitFor();
  await app.waitForState("idle");
  expect(await app.canvasText()).toContain("The brown fox jumps.");
  await page.keyboard.press("F7");
  await page.keyboard.press("y");
  await review.waitFor({ state: "detached" });
  await expect.poll(() => app.canvasText()).toContain("## Rivers");

  await page.keyboard.press("Control+3");
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Shift+End");
  await page.keyboard.press("Control+Alt+m");
  await page.getByRole("textbox", { name: /^Comment\./ }).waitFor();
  await page.keyboard.type("Is it a fox?");
  await page.keyboard.press("Enter");
  const marked = page.locator(".comment-range");
  await expect.poll(() => marked.allTextContents()).toEqual(["The brown fox jumps."]);
  const thread = page.getByRole("listitem", { name: /^Comment on / });
  // The comments are closed and opened again, and the first of them is gone to.
  await page.keyboard.press("Control+Alt+c");
  await thread.waitFor({ state: "detached" });
  await page.keyboard.press("Control+Alt+c");
  await thread.waitFor();
  await expect.poll(() => thread.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.press("Enter");
  await page.keyboard.type("It is.");
  await page.keyboard.press("Enter");
  await expect.poll(() => thread.textContent()).toContain("It is.");
  await tabTo(page, /^Resolve$/);
  await page.keyboard.press("Enter");
  await expect.poll(() => marked.count()).toBe(0);
  expect(app.complaints).toEqual([]);
  await context.close();
});

async function expectReplies(app: AppPage, count: string): Promise<void> {
  await expect.poll(() => app.page.getByRole("combobox", { name: "Replies" }).inputValue()).toBe(count);
}
