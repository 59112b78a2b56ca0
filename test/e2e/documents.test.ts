import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { BlockId } from "../../src/core/base/ids.ts";
import { accept } from "../../src/core/base/result.test-support.ts";
import { startTestServer, type TestServer } from "../../src/testing/test-server.ts";
import { Api } from "./api.ts";
import { AppPage, boxOf, openApp } from "./app-page.ts";
import { violations } from "./axe.ts";
import { launchBrowser } from "./browser.ts";

let browser: Browser;
let server: TestServer;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "heddle-e2e-documents-"));
  writeFileSync(join(folder, "today.md"), "# Today\n");
  [browser, server] = await Promise.all([launchBrowser(), startTestServer({ filesFolder: folder })]);
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
  rmSync(folder, { recursive: true });
});

/** Makes a document whose text is its title. */
async function canvas(title: string): Promise<BlockId> {
  const { workspace } = server;
  return accept(await workspace.createCanvas(await workspace.ownAuthor("test"), { title, text: `# ${title}\n` }));
}

test("17.1 17.19 documents are one tree: made, named, filed, chosen together, dragged and deleted, by mouse and by keys", async () => {
  const { workspace } = server;
  const author = await workspace.ownAuthor("test");
  for (const title of ["Budget", "Idea"]) await workspace.createCanvas(author, { title, folderPath: "Plans" });
  const { app, context } = await openApp(browser, server.address, { viewport: { width: 1280, height: 800 } });
  const { page } = app;
  const tree = page.getByRole("tree", { name: "Documents" });
  const row = (name: string) => tree.getByRole("treeitem", { name });

  // What is made is named in its place, and then typed in.
  await page.getByRole("button", { name: "New document" }).click();
  await page.getByRole("textbox", { name: "Name" }).waitFor();
  await page.keyboard.type("Letter");
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Text of Letter" }).waitFor();
  await page.keyboard.type("Dear all,");
  await expect.poll(() => app.canvasText()).toContain("Dear all,");
  await expect.poll(() => row("Letter").getAttribute("aria-current")).toBe("true");

  // By keys: into a folder, where it is followed.
  await tree.press("m");
  await page.getByRole("dialog", { name: "Move to a folder" }).getByRole("combobox").fill("Plans");
  await page.keyboard.press("Enter");
  await expect.poll(() => row("Letter").getAttribute("aria-level")).toBe("2");
  // By mouse: out of it.
  await row("Letter").dragTo(row("Welcome"));
  await expect.poll(() => row("Letter").getAttribute("aria-level")).toBe("1");

  // Several at once are archived and come back; deleted ones return with Ctrl+Z.
  await row("Budget").click();
  await tree.press("Shift+ArrowDown");
  await expect.poll(() => tree.locator("[role=treeitem][aria-selected=true]").count()).toBe(2);
  expect(await violations(page)).toEqual([]);
  await tree.press("Delete");
  await page.getByText("2 documents are in the trash.").waitFor();
  await row("Plans").waitFor({ state: "detached" });
  await tree.press("Control+z");
  await row("Plans").waitFor();
  // A folder is renamed with everything in it.
  await row("Plans").click({ button: "right" });
  expect(await violations(page)).toEqual([]);
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Work");
  await page.keyboard.press("Enter");
  await row("Work").waitFor();
  expect((await workspace.canvases()).filter(({ folderPath }) => folderPath === "Work")).toHaveLength(2);

  // By name from anywhere.
  await page.keyboard.press("Control+p");
  await page.getByRole("combobox", { name: "Open by name" }).fill("budg");
  await page.getByRole("option", { name: "Budget" }).and(page.locator("[aria-selected=true]")).waitFor();
  await expect.poll(() => page.getByRole("option", { name: "Command" }).count()).toBe(0);
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Text of Budget" }).waitFor();
  // Keys of other editors.
  await app.placeCaretAfter("");
  await page.keyboard.type("bold");
  await page.keyboard.press("Control+b");
  await expect.poll(() => app.canvasText()).toContain("**bold**");

  // One filter finds canvases and files.
  await page.getByLabel("Filter conversations and documents").fill("toda");
  await row("today.md").waitFor();
  await row("Letter").waitFor({ state: "detached" });
  expect(app.complaints).toEqual([]);
  await context.close();
});

test("17.1 17.2 conversations have date groups, pins and tags, and show where an agent works", async () => {
  const { conversations } = server.workspace;
  const canvasId = (await server.workspace.canvases())[0]?.id ?? null;
  const made = await conversations.create({ title: "Trip to Rome", canvasId });
  if (!made.ok) throw new Error(made.error.code);
  const { app, context } = await openApp(browser, server.address, { viewport: { width: 1280, height: 800 } });
  const { page } = app;
  const tree = page.getByRole("tree", { name: "Conversations and branches" });
  const row = (name: string) => tree.getByRole("treeitem", { name });
  await tree.getByText("Today").waitFor();
  await row("Trip to Rome").click({ button: "right" });
  await page.getByRole("menuitem", { name: "Pin" }).click();
  await tree.getByText("Pinned").waitFor();
  await row("Trip to Rome").click({ button: "right" });
  await page.getByRole("menuitem", { name: "Tags…" }).click();
  await page.getByRole("dialog").getByRole("textbox").fill("travel, 2026");
  await page.keyboard.press("Enter");
  await tree.getByText("travel").waitFor();
  await page.getByLabel("Filter conversations and documents").fill("#travel");
  await row("Welcome").waitFor({ state: "detached" });
  await expect.poll(() => tree.getByRole("treeitem").count()).toBe(1);
  await page.getByLabel("Filter conversations and documents").fill("");

  // The composer says what the agent works on; @ and a letter choose another document, a press none.
  const chip = page.getByTestId("works-on");
  await chip.getByText("Welcome").waitFor();
  await app.composer.fill("Shorten @letter");
  await page.getByRole("option", { name: /Letter/ }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await chip.getByText("Letter").waitFor();
  await expect.poll(() => app.composer.inputValue()).toBe("Shorten ");
  await page.getByRole("textbox", { name: "Text of Letter" }).waitFor();
  await chip.getByRole("button", { name: "Don’t work on Letter" }).click();
  await page.getByRole("button", { name: "Work on Letter" }).waitFor();

  // Words that arrive elsewhere make a conversation unread that this page has not open.
  await row("Welcome").click();
  await new Api({ origin: server.url, token: server.token }).post("/api/commands/message.send", {
    rootId: made.value.id,
    parentNodeId: null,
    text: "hello",
  });
  await row("Trip to Rome").getByText("unread").waitFor();
  expect(await violations(page)).toEqual([]);
  expect(app.complaints).toEqual([]);
  await context.close();
});

test("17.18 on a phone Enter begins a line, and Send is a button", async () => {
  const context = await browser.newContext({ viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true });
  const app = new AppPage(await context.newPage());
  const { page } = app;
  await page.goto(server.address);
  await app.waitForConnection("live");
  await app.composer.fill("one");
  await app.composer.press("Enter");
  await page.keyboard.type("two");
  await expect.poll(() => app.composer.inputValue()).toBe("one\ntwo");
  const send = page.getByRole("button", { name: "Send", exact: true });
  expect((await boxOf(send)).height).toBeGreaterThanOrEqual(44);
  await send.tap();
  await expect.poll(async () => (await app.messages()).some(({ text }) => text.includes("two"))).toBe(true);
  await context.close();
});

test("nobody's page follows what another person opens, and a question is about what its asker looks at", async () => {
  const { workspace } = server;
  const [letter, list] = [await canvas("Letter of Ann"), await canvas("List of Ben")];
  const { id: rootId } = accept(await workspace.conversations.create({ title: "Shared", canvasId: letter }));
  const worksOn = async () => (await workspace.conversations.list()).find(({ id }) => id === rootId)?.canvasId;
  const [ann, ben] = await Promise.all([openApp(browser, server.address), openApp(browser, server.address)]);
  for (const { app } of [ann, ben]) {
    await app.page.getByRole("treeitem", { name: "Shared" }).first().click();
    await app.page.getByRole("textbox", { name: "Text of Letter of Ann" }).waitFor();
  }
  const row = (app: AppPage, name: string) =>
    app.page.getByRole("tree", { name: "Documents" }).getByRole("treeitem", { name });

  // Ann writes while Ben opens something else.
  await ann.app.page.getByRole("textbox", { name: "Text of Letter of Ann" }).click();
  await ann.app.page.keyboard.press("Control+End");
  await ann.app.type("Dear ");
  await row(ben.app, "List of Ben").click();
  await ben.app.page.getByRole("textbox", { name: "Text of List of Ben" }).waitFor();
  await ann.app.type("all of you, ", 5);
  expect(await worksOn()).toBe(letter);
  await ben.app.send("How long is this?");
  await expect.poll(worksOn).toBe(list);
  await ann.app.type("here I am.", 5);
  await expect.poll(() => ann.app.canvasText()).toContain("Dear all of you, here I am.");

  // Without a connection the open document stays at hand, also once the connection is back.
  await ben.context.setOffline(true);
  await ben.app.waitForConnection("offline");
  await row(ben.app, "Letter of Ann").click();
  await ben.app.page.getByText("Other documents open once you are connected again.").first().waitFor();
  await ben.app.page.getByRole("textbox", { name: "Text of List of Ben" }).click();
  await ben.app.page.keyboard.press("Control+End");
  await ben.app.type("Bread and ");
  await ben.context.setOffline(false);
  await ben.app.waitForConnection("live");
  await ben.app.type("salt", 5);
  await expect.poll(async () => accept(await workspace.hub.reader.read(list)).text).toContain("Bread and salt");

  await ann.app.send("And this?");
  await expect.poll(worksOn).toBe(letter);
  await Promise.all([ann.context.close(), ben.context.close()]);
});

test("Back and Forward of the browser move between documents and conversations, and Back closes a dialog", async () => {
  const { workspace } = server;
  const [north, south] = [await canvas("North"), await canvas("South")];
  accept(await workspace.conversations.create({ title: "Compass", canvasId: north }));
  const { app, context } = await openApp(browser, server.address, { viewport: { width: 1280, height: 800 } });
  const { page } = app;
  const text = (name: string) => page.getByRole("textbox", { name: `Text of ${name}` });
  await page.getByRole("treeitem", { name: "Compass" }).first().click();
  await text("North").waitFor();
  await page.getByRole("tree", { name: "Documents" }).getByRole("treeitem", { name: "South" }).click();
  await text("South").waitFor();

  await page.goBack();
  await text("North").waitFor();
  await page.goForward();
  await text("South").waitFor();
  // A dialog is closed by Back, and leaves nothing behind when it is closed by Escape.
  const settings = page.getByRole("dialog", { name: "Settings" });
  await page.getByRole("button", { name: "Settings", exact: true }).click();
  await settings.waitFor();
  await page.goBack();
  await settings.waitFor({ state: "detached" });
  await text("South").waitFor();
  await page.getByRole("button", { name: "Settings", exact: true }).click();
  await settings.waitFor();
  await page.keyboard.press("Escape");
  await settings.waitFor({ state: "detached" });
  await page.goBack();
  await text("North").waitFor();

  // A key right after Escape opens what it opens.
  await page.keyboard.press("Control+k");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("Settings");
  await page.keyboard.press("Enter");
  await settings.waitFor();
  await page.keyboard.press("Escape");
  await page.reload();
  await text("North").waitFor();
  expect(south).not.toBe(north);

  // On a phone Back returns to the pane before.
  await page.setViewportSize({ width: 390, height: 800 });
  const pane = (name: string) => page.locator(`[data-pane=${name}]`);
  await page.locator(".tab-bar").getByRole("button", { name: "Forest" }).click();
  await pane("forest").waitFor();
  await page.getByRole("tree", { name: "Documents" }).getByRole("treeitem", { name: "South" }).click();
  await text("South").waitFor();
  await page.goBack();
  await pane("forest").waitFor();
  await context.close();
});
