import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Locator } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { must } from "../../src/core/base/assert.ts";
import type { BlockId } from "../../src/core/base/ids.ts";
import { accept } from "../../src/core/base/result.test-support.ts";
import { agentAuthor } from "../../src/testing/agent-author.ts";
import { startTestServer, type TestServer } from "../../src/testing/test-server.ts";
import { AppPage, boxOf, openApp } from "./app-page.ts";
import { violations } from "./axe.ts";
import { launchBrowser } from "./browser.ts";
import { holdFrames } from "./held-frames.ts";

let browser: Browser;
let server: TestServer;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "heddle-e2e-tabs-"));
  writeFileSync(join(folder, "today.md"), "# Today\n");
  [browser, server] = await Promise.all([launchBrowser(), startTestServer({ filesFolder: folder })]);
  const author = await server.workspace.ownAuthor("test");
  for (const title of ["Budget", "Idea"]) await server.workspace.createCanvas(author, { title, text: `# ${title}\n` });
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
  rmSync(folder, { recursive: true });
});

/** The names on the strip in order, the shown one in brackets, those only looked at with a tilde. */
async function stripOf(tabs: Locator): Promise<string> {
  const names = await tabs.evaluateAll((all) =>
    all.map((tab) => {
      const name = `${tab.getAttribute("data-preview") === "true" ? "~" : ""}${tab.querySelector(".document-tab-name")?.textContent}`;
      return tab.getAttribute("aria-selected") === "true" ? `[${name}]` : name;
    }),
  );
  return names.join(" ");
}

/** An agent's words at the beginning of a document. */
async function agentWrites(canvasId: BlockId, words: string): Promise<void> {
  const { workspace } = server;
  const author = await agentAuthor(workspace, "Editor");
  const changes = [{ from: 0, to: 0, insert: words }];
  accept(await workspace.hub.editor.editWith(author, canvasId, () => ({ ok: true, value: { changes } })));
}

test("17.1 canvases and files are open as tabs: looked at, edited, switched, moved, closed, kept across a reload", async () => {
  const { app, context } = await openApp(browser, server.address, { viewport: { width: 1400, height: 800 } });
  const { page } = app;
  const tree = page.getByRole("tree", { name: "Documents" });
  const row = (name: string) => tree.getByRole("treeitem", { name });
  const tabs = page.getByRole("tablist", { name: "Open documents" }).getByRole("tab");
  const strip = () => expect.poll(() => stripOf(tabs));
  const text = (name: string) => page.getByRole("textbox", { name: `Text of ${name}` });

  // Looking at documents one after the other opens no more than one.
  await row("Idea").click();
  await text("Idea").waitFor();
  await row("Budget").click();
  await text("Budget").waitFor();
  await expect.poll(() => tabs.count()).toBe(0);
  // What is edited stays open.
  await app.placeCaretAfter("# Budget");
  await app.type(" 2027");
  await row("today.md").click();
  await text("today.md").waitFor();
  await strip().toBe("Budget [~today.md]");
  await row("Idea").click();
  await strip().toBe("Budget [~Idea]");
  await tabs.nth(1).dblclick();
  await row("today.md").click();
  await strip().toBe("Budget Idea [~today.md]");
  expect(await violations(page)).toEqual([]);

  // By mouse: shown, moved, closed with the cross and the middle button.
  await tabs.nth(0).click();
  await text("Budget").waitFor();
  await strip().toBe("[Budget] Idea ~today.md");
  await tabs.nth(0).dragTo(tabs.nth(2), { targetPosition: { x: 85, y: 10 } });
  await strip().toBe("Idea ~today.md [Budget]");
  await tabs.nth(0).click({ button: "middle" });
  await strip().toBe("~today.md [Budget]");

  // By keys from within the text: back, forth, moved, closed, opened again; the caret goes along.
  await app.placeCaretAfter("2027");
  await page.keyboard.press("Alt+PageDown");
  await text("today.md").waitFor();
  await strip().toBe("[~today.md] Budget");
  await expect.poll(() => page.evaluate(() => document.activeElement?.closest(".editor-host") !== null)).toBe(true);
  await page.keyboard.press("Alt+Shift+PageDown");
  await strip().toBe("Budget [today.md]");
  await page.keyboard.press("Alt+Shift+W");
  await text("Idea").waitFor();
  await strip().toBe("Budget today.md [~Idea]");
  await page.keyboard.press("Alt+W");
  await text("today.md").waitFor();
  await strip().toBe("Budget [today.md]");
  // On the strip: arrows, Enter, Delete.
  await tabs.nth(1).focus();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Enter");
  await text("Budget").waitFor();
  await page.keyboard.press("Control+ArrowRight");
  await strip().toBe("today.md [Budget]");

  // Kept across a reload; another window has its own.
  await page.reload();
  await text("Budget").waitFor();
  await strip().toBe("today.md [Budget]");
  const second = new AppPage(await context.newPage());
  await second.page.goto(server.url);
  const secondTabs = second.page.getByRole("tablist", { name: "Open documents" }).getByRole("tab");
  await expect.poll(() => secondTabs.count()).toBe(2);
  await secondTabs.first().focus();
  await second.page.keyboard.press("Delete");
  await expect.poll(() => secondTabs.count()).toBe(0);
  await page.reload();
  await text("Budget").waitFor();
  await strip().toBe("today.md [Budget]");

  // A new name is taken over; what was deleted is closed.
  await row("today.md").click();
  await text("today.md").waitFor();
  await row("Budget").click({ button: "right" });
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Costs");
  await page.keyboard.press("Enter");
  await strip().toBe("[today.md] Costs");
  await row("Costs").click({ button: "right" });
  await page.getByRole("menuitem", { name: "Move to trash" }).click();
  await expect.poll(() => tabs.count()).toBe(0);

  // Without any document the pane says what to do, also after a reload.
  await page.keyboard.press("Alt+W");
  await page.getByRole("heading", { name: "This conversation has no canvas" }).waitFor();
  expect(await violations(page)).toEqual([]);
  await row("Welcome").click();
  await text("Welcome").waitFor();
  expect(app.complaints).toEqual([]);
  await context.close();
});

test("17.1 a document that an agent changes while another is shown has a mark; a phone has a sheet of open documents", async () => {
  const { app, context } = await openApp(browser, server.address, { viewport: { width: 1400, height: 800 } });
  const { page } = app;
  const tree = page.getByRole("tree", { name: "Documents" });
  const row = (name: string) => tree.getByRole("treeitem", { name });
  const tabs = page.getByRole("tablist", { name: "Open documents" }).getByRole("tab");
  await row("Idea").click();
  await page.getByRole("textbox", { name: "Text of Idea" }).waitFor();
  await app.placeCaretAfter("# Idea");
  await app.type("s");
  await row("Welcome").click();
  await page.getByRole("textbox", { name: "Text of Welcome" }).waitFor();
  await expect.poll(() => tabs.count()).toBe(2);
  const idea = must(
    (await server.workspace.canvases()).find(({ title }) => title === "Idea"),
    "it was made",
  );
  // The page follows the other texts a little later.
  await expect
    .poll(
      async () => {
        await agentWrites(idea.id, "More. ");
        return tabs.first().getByText("changed by an agent").count();
      },
      { interval: 500 },
    )
    .toBe(1);
  expect(await violations(page)).toEqual([]);

  await page.setViewportSize({ width: 390, height: 800 });
  await page.getByRole("button", { name: "Canvas", exact: true }).click();
  const count = page.getByRole("button", { name: "2 open documents, an agent changed some" });
  const { width, height } = await boxOf(count);
  expect(Math.min(width, height)).toBeGreaterThanOrEqual(44);
  await count.click();
  const sheet = page.getByRole("dialog", { name: "Open documents" });
  expect(await violations(page)).toEqual([]);
  await sheet.getByRole("button", { name: /^Idea/ }).click();
  await page.getByRole("textbox", { name: "Text of Idea" }).waitFor();
  await page.getByRole("button", { name: "2 open documents", exact: true }).click();
  // The sheet stays while the document below it is still on its way.
  await page.keyboard.press("Escape");
  const texts = await holdFrames(page, ({ type }) => type === "watch-block");
  await page.reload();
  await page.getByRole("button", { name: "Canvas", exact: true }).click();
  await page.getByText("Fetching Idea…").waitFor();
  await page.getByRole("button", { name: "2 open documents", exact: true }).click();
  texts.release();
  await page.locator(".editor-host").waitFor();
  await sheet.getByRole("button", { name: "Close Idea" }).click();
  await page.getByRole("textbox", { name: "Text of Welcome" }).waitFor();
  expect(app.complaints).toEqual([]);
  await context.close();
});
